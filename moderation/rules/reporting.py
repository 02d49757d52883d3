"""Reports that nobody made: a rule found something."""

from django.db import transaction

from statuses.models import Status
from statuses.stored import StoredStatus
from users.models import User
from users.rows import lock_accounts

from .. import evidence
from ..models import Report
from ..queue import cases
from .book import Entry
from .current import book
from .models import RuleAction


def text_of(status: Status | StoredStatus) -> str:
    return f"{status.warning} {status.text}"


def text_about(account: User) -> str:
    return f"{account.username} {account.name}\n{account.bio}"


def rule_that_reports(text: str) -> Entry | None:
    return next((it for it in book().on_text(text) if it.action == RuleAction.REPORT), None)


def report_found_status(entry: Entry, status: Status) -> None:
    """Once for each rule and post: after a moderator has decided, an edit does not ask again."""
    with transaction.atomic():
        author = lock_accounts([status.author_id]).get(status.author_id)
        row = Status.objects.filter(pk=status.pk).first()
        if author is None or row is None:
            return
        row.author = author
        _add(entry, author, Report(status=row, evidence=evidence.of_status(row)))


def report_found_account(entry: Entry, account: User) -> None:
    """Inside the transaction that writes the account."""
    _add(entry, account, Report(evidence=evidence.of_account(account)))


def _add(entry: Entry, account: User, report: Report) -> None:
    report.account, report.username, report.category = account, account.username, entry.category
    report.rule_id = entry.id
    if not Report.objects.filter(report.same_thing(), rule=entry.id).exists():
        report.save(force_insert=True)
        cases.join(report)
