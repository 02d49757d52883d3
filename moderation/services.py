"""Measures: what moderators do about accounts and statuses.

Each is one transaction: the change, a row that says who did it and why, and the reports that it
closes. Each raises PermissionDenied, and ValidationError if there was nothing to change.
"""

from collections.abc import Callable
from functools import partial
from typing import Required, TypedDict, Unpack

from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from statuses import services as statuses
from statuses.models import Status
from statuses.removing.removal import on_deletion_by_others
from users import services as users
from users.models import User
from users.pictures.kinds import Kind as PictureKind
from users.rows import change_counter, lock_accounts
from users.selectors import outranks

from . import evidence
from .models import AccountWarning, Kind, Measure, Report
from .outcomes import close_reports

NOTHING_TO_CHANGE = {
    Kind.DISMISS: "Somebody else has closed this report meanwhile.",
    Kind.DELETE_STATUS: "This post is deleted already.",
    Kind.WARN: "This account no longer exists.",
    Kind.MARK_SENSITIVE: "This post is marked as sensitive already, or deleted.",
    Kind.UNMARK_SENSITIVE: "This post is not marked as sensitive, or deleted.",
    Kind.REMOVE_AVATAR: "This account has no avatar.",
    Kind.REMOVE_HEADER: "This account has no header.",
    Kind.SILENCE: "This account is silenced already.",
    Kind.UNSILENCE: "This account is not silenced.",
    Kind.SUSPEND: "This account is suspended already.",
    Kind.RESTORE: "This account is not suspended.",
}
# The account reads the reason: on its pages, or when it tries to log in.
TOLD = frozenset({Kind.WARN, Kind.SUSPEND})
# A report can be closed without a word.
NEEDS_NO_REASON = frozenset({Kind.DISMISS})


class Decision(TypedDict, total=False):
    by: Required[User]
    reason: str
    report: Report | None
    """The report that it is about, if any: it is closed."""

    closes_others: bool
    """Close all open reports about the same thing?"""


def dismiss(*, report: Report, by: User, reason: str = "", closes_others: bool = False) -> Measure:
    """Close the report: nothing has to be done, or it was done already."""
    about = Measure(
        kind=Kind.DISMISS,
        account=report.account,
        username=report.username,
        status_id=report.status_id,
    )
    open_row = Report.objects.select_for_update(no_key=True).filter(pk=report.pk, is_open=True)
    decision: Decision = {"by": by, "reason": reason, "report": report}
    decision["closes_others"] = closes_others
    return _take(about, lambda: open_row.first() is not None, **decision)


def delete_status(*, status: Status, **decision: Unpack[Decision]) -> Measure:
    about = _about_status(Kind.DELETE_STATUS, status)

    def delete() -> bool:
        """Its author may have edited it since we read it."""
        row = statuses.take_down(status=status)
        about.evidence = evidence.of_status(row) if row else {}
        return row is not None

    return _take(about, delete, **decision)


def mark_sensitive(*, status: Status, **decision: Unpack[Decision]) -> Measure:
    """Readers see it when they click."""
    about = _about_status(Kind.MARK_SENSITIVE, status)
    return _take(about, partial(statuses.mark_sensitive, status=status), **decision)


def unmark_sensitive(*, status: Status, **decision: Unpack[Decision]) -> Measure:
    about = _about_status(Kind.UNMARK_SENSITIVE, status)
    unmark = partial(statuses.mark_sensitive, status=status, is_sensitive=False)
    return _take(about, unmark, **decision)


def warn(*, account: User, **decision: Unpack[Decision]) -> Measure:
    """The account reads the reason on every page until it acknowledges it."""
    about = _about_account(Kind.WARN, account)
    count = partial(change_counter, account.pk, "unread_warnings", +1)
    with transaction.atomic():
        measure = _take(about, count, **decision)
        AccountWarning.objects.create(measure=measure, account=account)
    return measure


def acknowledge(*, warning: AccountWarning) -> bool:
    """The account has read it. False if it had before."""
    with transaction.atomic():
        unread = AccountWarning.objects.filter(pk=warning.pk, acknowledged_at=None)
        changed = bool(unread.update(acknowledged_at=timezone.now()))
        if changed:
            change_counter(warning.account_id, "unread_warnings", -1)
    return changed


def remove_avatar(*, account: User, **decision: Unpack[Decision]) -> Measure:
    """The picture is deleted; the account may choose another."""
    about = _about_account(Kind.REMOVE_AVATAR, account)
    remove = partial(users.remove_picture, user=account, kind=PictureKind.AVATAR)
    return _take(about, remove, **decision)


def remove_header(*, account: User, **decision: Unpack[Decision]) -> Measure:
    about = _about_account(Kind.REMOVE_HEADER, account)
    remove = partial(users.remove_picture, user=account, kind=PictureKind.HEADER)
    return _take(about, remove, **decision)


def silence(*, account: User, **decision: Unpack[Decision]) -> Measure:
    """Only followers see what the account says."""
    about = _about_account(Kind.SILENCE, account)
    return _take(about, partial(users.silence, user=account), **decision)


def unsilence(*, account: User, **decision: Unpack[Decision]) -> Measure:
    about = _about_account(Kind.UNSILENCE, account)
    return _take(about, partial(users.unsilence, user=account), **decision)


def suspend(*, account: User, **decision: Unpack[Decision]) -> Measure:
    """Nobody sees anything of the account, until it is restored."""
    about = _about_account(Kind.SUSPEND, account)
    return _take(about, partial(users.suspend, user=account), **decision)


def restore(*, account: User, **decision: Unpack[Decision]) -> Measure:
    about = _about_account(Kind.RESTORE, account)
    return _take(about, partial(users.restore, user=account), **decision)


@on_deletion_by_others
def note_deletion(status: Status, by: User) -> None:
    """Somebody deleted it on the site, without a reason. Reports about it are closed."""
    measure = _about_status(Kind.DELETE_STATUS, status)
    _refuse_rank(by, measure.account)
    measure.by, measure.by_username = by, by.username
    measure.save(force_insert=True)
    close_reports(Q(status=status.pk), measure)


def close(*, measure: Measure, report: Report | None, others: bool = False) -> None:
    """The report was dealt with by the measure, and so, perhaps, were `others` about the same
    thing. Those that are closed already stay as they are.
    """
    if others:
        alike = report or Report(account=measure.account, status_id=measure.status_id)
        close_reports(alike.same_thing(), measure)
    elif report:
        close_reports(Q(pk=report.pk), measure)


def refuse(by: User, account: User | None) -> None:
    """Raises PermissionDenied. `account` is None where it is deleted."""
    if not by.has_perm("moderation.change_report"):
        raise PermissionDenied("Only moderators may do this.")
    _refuse_rank(by, account)


def _refuse_rank(by: User, account: User | None) -> None:
    if account is not None and not outranks(by, account):
        raise PermissionDenied(
            "Nobody decides about themselves, and only superusers decide about staff."
        )


def _about_account(kind: Kind, account: User) -> Measure:
    kept = evidence.of_account(account)
    return Measure(kind=kind, account=account, username=account.username, evidence=kept)


def _about_status(kind: Kind, status: Status) -> Measure:
    author, kept = status.author, evidence.of_status(status)
    return Measure(
        kind=kind,
        account=author,
        username=author.username,
        status_id=status.pk,
        evidence=kept,
    )


def _take(
    measure: Measure,
    change: Callable[[], bool],
    *,
    by: User,
    reason: str = "",
    report: Report | None = None,
    closes_others: bool = False,
) -> Measure:
    refuse(by, measure.account)
    measure.by, measure.by_username, measure.report = by, by.username, report
    measure.reason, measure.is_told = _clean(measure, reason), measure.kind in TOLD
    with transaction.atomic():
        # Two moderators at once: the second one sees what the first one did.
        if measure.account_id not in lock_accounts([measure.account_id or 0]):
            measure.account = None
        if not change():
            raise ValidationError(NOTHING_TO_CHANGE[Kind(measure.kind)], code="nothing")
        measure.save(force_insert=True)
        close(measure=measure, report=report, others=closes_others)
    return measure


def _clean(measure: Measure, reason: str) -> str:
    """Raises ValidationError."""
    text = reason.strip()
    measure.reason = text
    measure.clean_fields(exclude={it.name for it in measure._meta.fields} - {"reason"})
    if not text and measure.kind not in NEEDS_NO_REASON:
        raise ValidationError({"reason": "Say why."}, code="reason")
    return text
