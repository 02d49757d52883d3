"""A measure by its kind, on whatever a moderator has chosen: a report, a status, an account."""

from collections.abc import Callable, Iterable

from django.core.exceptions import ValidationError

from statuses.models import Status
from users.models import User

from . import services
from .models import Kind, Measure, Report

Chosen = Report | Status | User

ON_STATUSES: dict[Kind, Callable[..., Measure]] = {
    Kind.DELETE_STATUS: services.delete_status,
    Kind.MARK_SENSITIVE: services.mark_sensitive,
    Kind.UNMARK_SENSITIVE: services.unmark_sensitive,
}
ON_ACCOUNTS: dict[Kind, Callable[..., Measure]] = {
    Kind.WARN: services.warn,
    Kind.REMOVE_AVATAR: services.remove_avatar,
    Kind.REMOVE_HEADER: services.remove_header,
    Kind.SILENCE: services.silence,
    Kind.UNSILENCE: services.unsilence,
    Kind.SUSPEND: services.suspend,
    Kind.RESTORE: services.restore,
}


def take(
    kind: Kind, chosen: Chosen, *, by: User, reason: str = "", closes_others: bool = False
) -> Measure:
    """Raises PermissionDenied and ValidationError."""
    if kind == Kind.DISMISS and isinstance(chosen, Report):
        return services.dismiss(report=chosen, by=by, reason=reason, closes_others=closes_others)
    act = _on_status(kind, chosen) if kind in ON_STATUSES else _on_account(kind, chosen)
    report = chosen if isinstance(chosen, Report) else None
    return act(by=by, reason=reason, report=report, closes_others=closes_others)


def take_on_all(
    kind: Kind, chosen: Iterable[Chosen], *, by: User, reason: str = "", closes_others: bool = False
) -> dict[Chosen, Measure]:
    """Several reports may be about the same account or status: it is measured once, and the measure
    closes each of them.
    """
    taken: dict[Chosen, Measure] = {}
    by_target: dict[int | None, Measure] = {}
    for it in chosen:
        target = _target(kind, it)
        if target in by_target and isinstance(it, Report):
            services.close(measure=by_target[target], report=it, others=closes_others)
        else:
            taken[it] = take(kind, it, by=by, reason=reason, closes_others=closes_others)
            by_target[target] = taken[it]
    return taken


def _target(kind: Kind, chosen: Chosen) -> int | None:
    """The id of what a measure of this kind would change."""
    if not isinstance(chosen, Report) or kind == Kind.DISMISS:
        return chosen.pk
    return chosen.status_id if kind in ON_STATUSES else chosen.account_id


def account_of(chosen: Chosen) -> User | None:
    """Whom a measure would be about; None if the account is deleted."""
    if isinstance(chosen, User):
        return chosen
    return chosen.account if isinstance(chosen, Report) else chosen.author


def _on_status(kind: Kind, chosen: Chosen) -> Callable[..., Measure]:
    status = chosen if isinstance(chosen, Status) else _status_of(chosen)
    if status is None:
        raise ValidationError(f"{chosen}: there is no such post, or no longer.", code="gone")
    return lambda **decision: ON_STATUSES[kind](status=status, **decision)


def _on_account(kind: Kind, chosen: Chosen) -> Callable[..., Measure]:
    account = account_of(chosen)
    if account is None:
        raise ValidationError(f"{chosen}: this account is deleted.", code="gone")
    return lambda **decision: ON_ACCOUNTS[kind](account=account, **decision)


def _status_of(chosen: Chosen) -> Status | None:
    if not isinstance(chosen, Report) or chosen.status_id is None:
        return None
    return Status.objects.with_names().filter(pk=chosen.status_id).first()
