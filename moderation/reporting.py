"""What members tell the moderators."""

from typing import TypedDict, Unpack

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext

from statuses.models import Status
from statuses.stored import StoredStatus
from users.models import User
from users.rows import lock_pair
from users.throttling import throttled
from web.refusals import Refusal

from . import evidence
from .models import Category, Report
from .queue import cases


class Complaint(TypedDict):
    category: str
    words: str


@throttled("report", by="reporter")
def report_status(
    *, reporter: User, status: StoredStatus, **complaint: Unpack[Complaint]
) -> Report | None:
    """Returns None if the reporter's first report of it is still open. The reporter must be able to
    see the status. Raises Refusal, ValidationError and AccountGone.
    """
    with transaction.atomic():
        author = _locked(reporter, status.author_id)
        row = Status.objects.filter(pk=status.id).first()
        if row is None:
            raise Refusal(gettext("This post has been deleted."), code="gone")
        row.author = author
        report = Report(status=row, evidence=evidence.of_status(row), **complaint)
        return _added(report, reporter, author)


@throttled("report", by="reporter")
def report_account(
    *, reporter: User, account: User, **complaint: Unpack[Complaint]
) -> Report | None:
    with transaction.atomic():
        account = _locked(reporter, account.pk)
        report = Report(evidence=evidence.of_account(account), **complaint)
        return _added(report, reporter, account)


def _locked(reporter: User, account_id: int) -> User:
    """Returns the reported account. A reporter who clicks twice waits here."""
    if reporter.pk == account_id:
        raise Refusal(gettext("You can't report yourself."), code="self")
    return lock_pair(reporter, account_id)[1]


def _added(report: Report, reporter: User, account: User) -> Report | None:
    report.reporter, report.account, report.username = reporter, account, account.username
    report.words = report.words.strip()
    report.clean_fields(exclude={"evidence"})
    if report.category == Category.OTHER and not report.words:
        raise ValidationError({"words": gettext("Say what is wrong.")}, code="words")
    if Report.objects.filter(report.same_thing(), reporter=reporter, is_open=True).exists():
        return None
    report.save(force_insert=True)
    cases.join(report)
    return report
