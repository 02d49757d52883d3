"""What moderators choose from, and what it does: one or two measures, in one transaction."""

from collections.abc import Sequence
from typing import NamedTuple

from django.db import transaction
from django.utils.translation import gettext_lazy as _
from django_stubs_ext import StrOrPromise

from statuses.models import Status
from users.models import User
from users.rows import lock_accounts

from ..models import Case, Kind, Measure, Report
from ..services import take, take_on_all
from . import claims


class Choice(NamedTuple):
    key: str
    icon: str
    title: StrOrPromise
    effect: StrOrPromise
    deed: StrOrPromise  # on the button; `%(name)s` is the account
    kinds: tuple[Kind, ...]
    is_told: bool = False  # does the account read the reason?
    is_severe: bool = False
    canned: str = ""  # whose canned answers it has (`CannedAnswer.measure`)


CHOICES = {
    "dismiss": Choice(
        "N",
        "check",
        _("Nothing wrong"),
        _("closes all reports"),
        _("Close without a measure"),
        (Kind.DISMISS,),
    ),
    "warn": Choice(
        "W",
        "triangle-alert",
        _("Warn"),
        _("must be read before it goes away"),
        _("Warn @%(name)s"),
        (Kind.WARN,),
        is_told=True,
        canned="warn",
    ),
    "delete": Choice(
        "D",
        "trash-2",
        _("Delete the post"),
        _("its author is notified, and can appeal"),
        _("Delete the post of @%(name)s"),
        (Kind.DELETE_STATUS,),
        is_told=True,
        is_severe=True,
        canned="delete_status",
    ),
    "delete_and_warn": Choice(
        "E",
        "trash-2",
        _("Delete the post and warn"),
        _("the warning must be read before it goes away"),
        _("Delete the post and warn @%(name)s"),
        (Kind.DELETE_STATUS, Kind.WARN),
        is_told=True,
        is_severe=True,
        canned="delete_status",
    ),
    "cover": Choice(
        "M",
        "eye-off",
        _("Mark as sensitive"),
        _("covered until a reader wants to see it"),
        _("Mark the post of @%(name)s as sensitive"),
        (Kind.MARK_SENSITIVE,),
    ),
    "silence": Choice(
        "S",
        "volume-x",
        _("Silence"),
        _("only followers see the posts; they are not told"),
        _("Silence @%(name)s"),
        (Kind.SILENCE,),
    ),
    "suspend": Choice(
        "U",
        "ban",
        _("Suspend"),
        _("the account is hidden; can be undone"),
        _("Suspend @%(name)s"),
        (Kind.SUSPEND,),
        is_told=True,
        is_severe=True,
        canned="suspend",
    ),
}


def choices_for(account: User | None, status: Status | None) -> list[str]:
    """Leaves out what would change nothing."""
    names = ["dismiss"]
    if account:
        names.append("warn")
    if status:
        names += ["delete"]
        names += ["delete_and_warn"] if account else []
        names += [] if status.is_sensitive else ["cover"]
    if account:
        names += [] if account.is_silenced else ["silence"]
        names += [] if account.is_suspended else ["suspend"]
    return names


def decide(
    *, case: Case, choice: str, by: User, reason: str = "", seen: int | None
) -> Sequence[Measure]:
    """Closes all reports of the case. `seen`: how many measures on the account were on the page.

    Raises Refusal, also if somebody else holds the case or was quicker.
    """
    with transaction.atomic():
        # In the order of all who write reports: the account, then the case.
        lock_accounts([case.account_id] if case.account_id else [])
        report = _report_of(case, by=by)
        first, *others = CHOICES[choice].kinds
        taken = take_on_all(first, [report], by=by, reason=reason, closes_others=True, seen=seen)
        return [*taken.values(), *(take(kind, report, by=by, reason=reason) for kind in others)]


def _report_of(case: Case, *, by: User) -> Report:
    rows = Case.objects.select_for_update(no_key=True, of=["self"]).select_related("held_by")
    locked = rows.get(pk=case.pk)
    claims.refuse_others(locked, by=by)
    reports = locked.reports.filter(is_open=True).select_related("account")
    return reports.order_by("pk")[:1].get()
