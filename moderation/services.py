"""Measures: what moderators do about accounts and statuses (`actions.py` says what there is).

Each is one transaction: the change, a row that says who did it and why, and the reports that it
closes. Each raises Refusal, also if there was nothing to change.
"""

from collections.abc import Collection

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext

from notifications.tasks import reconcile_groups
from staff import audit
from staff.models import Action
from statuses.models import Status
from taskqueue import start
from users.models import User
from users.rows import change_counter, lock_accounts
from users.selectors import outranks
from web.refusals import Refusal

from . import evidence
from .actions import ACTIONS
from .appeals.notices import group_of
from .models import AccountWarning, Kind, Measure, Report
from .outcomes import close_reports

Chosen = Report | Status | User


def take_on_all(
    kind: Kind,
    chosen: Collection[Chosen],
    *,
    by: User,
    reason: str = "",
    closes_others: bool = False,
    seen: int | None,
) -> dict[Chosen, Measure]:
    """Takes all of them or none. `seen`: how many measures the moderator knew of (`count_before`).

    Reports about the same account or status lead to one measure, which closes each of them.
    """
    by_target: dict[int | None, Measure] = {}
    taken: dict[Chosen, Measure] = {}
    with transaction.atomic():
        lock_accounts(_account_ids(chosen))
        if count_before(chosen) != seen:
            raise Refusal(
                gettext(
                    "Somebody has taken a measure here meanwhile. Have another look, and decide "
                    "again."
                ),
                code="meanwhile",
            )
        for it in chosen:
            target = _target_id(kind, it)
            if target in by_target and isinstance(it, Report):
                _close(by_target[target], report=it, others=closes_others)
            else:
                taken[it] = take(kind, it, by=by, reason=reason, closes_others=closes_others)
                by_target[target] = taken[it]
    return taken


def take(
    kind: Kind, chosen: Chosen, *, by: User, reason: str = "", closes_others: bool = False
) -> Measure:
    """Given a report, acts on what was reported and closes the report; with `closes_others`, closes
    all open reports about the same thing.
    """
    action, target = ACTIONS[kind], _target(kind, chosen)
    measure = _about(target)
    refuse(by, measure.account)
    measure.kind, measure.is_told = kind, action.is_told
    measure.by, measure.by_username = by, by.username
    measure.report = chosen if isinstance(chosen, Report) else None
    measure.reason = _clean(measure, reason)
    with transaction.atomic():
        # Two moderators at once: the second one sees what the first one did.
        if measure.account_id not in lock_accounts([measure.account_id or 0]):
            measure.account = None
        changed = action.change(target)
        if not changed:
            raise Refusal(action.nothing, code="nothing")
        if isinstance(changed, Status):  # its author may have edited it since we read it
            measure.evidence = evidence.of_status(changed)
        _note(measure, by)
        action.then(measure, target)
        _tell(measure)
        _close(measure, report=measure.report, others=closes_others)
    return measure


def count_before(chosen: Collection[Chosen]) -> int:
    return Measure.objects.filter(account__in=_account_ids(chosen)).count()


def account_of(chosen: Chosen) -> User | None:
    if isinstance(chosen, User):
        return chosen
    return chosen.account if isinstance(chosen, Report) else chosen.author


def refuse(by: User, account: User | None) -> None:
    if not by.has_perm("moderation.change_report"):
        raise Refusal(gettext("Only moderators may do this."), code="forbidden", status=403)
    _refuse_rank(by, account)


def acknowledge(*, warning: AccountWarning) -> bool:
    with transaction.atomic():
        unread = AccountWarning.objects.filter(pk=warning.pk, acknowledged_at=None)
        changed = bool(unread.update(acknowledged_at=timezone.now()))
        if changed:
            change_counter(warning.account_id, "unread_warnings", -1)
    return changed


def note_deletion(status: Status, by: User) -> None:
    measure = _about(status)
    _refuse_rank(by, measure.account)
    measure.kind, measure.by, measure.by_username = Kind.DELETE_STATUS, by, by.username
    _note(measure, by)
    _tell(measure)
    close_reports(Q(status=status.pk), measure)


def _note(measure: Measure, by: User) -> None:
    """The audit log only leads to the measure, which says what was done and why."""
    measure.save(force_insert=True)
    audit.write(Action.MEASURE, measure, by=by)


def _refuse_rank(by: User, account: User | None) -> None:
    if account is not None and not outranks(by, account):
        words = gettext("Nobody decides about themselves, and only superusers decide about staff.")
        raise Refusal(words, code="forbidden", status=403)


def _target(kind: Kind, chosen: Chosen) -> Chosen:
    on = ACTIONS[kind].on
    if isinstance(chosen, on):
        return chosen
    target = _status_of(chosen) if on is Status else account_of(chosen)
    if target is None:
        is_status = on is Status
        gone = "there is no such post, or no longer" if is_status else "this account is deleted"
        raise Refusal(f"{chosen}: {gone}.", code="gone")
    return target


def _status_of(chosen: Chosen) -> Status | None:
    if not isinstance(chosen, Report) or chosen.status_id is None:
        return None
    return Status.objects.with_names().filter(pk=chosen.status_id).first()


def _target_id(kind: Kind, chosen: Chosen) -> int | None:
    on = ACTIONS[kind].on
    if isinstance(chosen, on) or not isinstance(chosen, Report):
        return chosen.pk
    return chosen.status_id if on is Status else chosen.account_id


def _about(target: Chosen) -> Measure:
    """Copies what the measure is about as it is now. A report has evidence of its own."""
    if isinstance(target, Report):
        measure = Measure(username=target.username, status_id=target.status_id)
    elif isinstance(target, Status):
        kept = evidence.of_status(target)
        measure = Measure(username=target.author.username, status_id=target.pk, evidence=kept)
    else:
        measure = Measure(username=target.username, evidence=evidence.of_account(target))
    measure.account = account_of(target)
    return measure


def _clean(measure: Measure, reason: str) -> str:
    text = reason.strip()
    measure.reason = text
    measure.clean_fields(exclude={it.name for it in measure._meta.fields} - {"reason"})
    if not text and ACTIONS[Kind(measure.kind)].needs_reason:
        raise ValidationError({"reason": gettext("Say why.")}, code="reason")
    return text


def _close(measure: Measure, *, report: Report | None, others: bool) -> None:
    if others:
        alike = report or Report(account=measure.account, status_id=measure.status_id)
        close_reports(alike.same_thing(), measure)
    elif report:
        close_reports(Q(pk=report.pk), measure)


def _tell(measure: Measure) -> None:
    """A deleted post is told by a notification, which leads to the reason and to an appeal."""
    if measure.kind == Kind.DELETE_STATUS and measure.account_id:
        start.on_commit(reconcile_groups, [group_of(measure, "measure")])


def _account_ids(chosen: Collection[Chosen]) -> set[int]:
    return {account.pk for it in chosen if (account := account_of(it))}
