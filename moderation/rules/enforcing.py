"""What rules do when somebody signs up, or publishes something."""

from collections.abc import Iterable

from django.utils.translation import gettext

from redistools.scripts import Batch
from statuses.publication.events import Edit, Posting
from statuses.stored import StoredStatus
from taskqueue import start
from users.models import User
from web.refusals import Refusal

from .. import tasks
from .book import Entry
from .current import book
from .models import RuleAction
from .reporting import report_found_account, rule_that_reports, text_about, text_of

CODE = "rule"


def refuse_text(_user: User, text: str) -> None:
    for entry in _refusing(book().on_text(text)):
        words = gettext("“%(pattern)s” is not allowed on this site.")
        raise _refusal(words % {"pattern": entry.pattern})


def refuse_email(email: str) -> None:
    for entry in _refusing(book().on_email(email)):
        if "@" in entry.pattern:
            raise _refusal(gettext("This address can't be used on this site. Use another one."))
        words = gettext("Addresses at %(domain)s can't be used on this site. Use another one.")
        raise _refusal(words % {"domain": entry.pattern})


def refuse_or_report_newcomer(user: User, address: str) -> None:
    found = [*book().on_address(address), *book().on_email(user.email)]
    for _entry in _refusing(found):
        raise _refusal(gettext("Nobody can sign up from your network. Try another one."))
    for entry in found:
        report_found_account(entry, user)


def look_at_described(user: User) -> None:
    if entry := rule_that_reports(text_about(user)):
        report_found_account(entry, user)


def look_at_posted(posting: Posting) -> None:
    _look_at(posting.batch, posting.status)


def look_at_changed(edit: Edit) -> None:
    _look_at(edit.batch, edit.status)


def _look_at(batch: Batch, status: StoredStatus) -> None:
    """Asked with every post, so that only those that meet a rule cost a task."""
    if rule_that_reports(text_of(status)):
        start.with_batch(batch, tasks.report_by_rule, status.id)


def _refusing(entries: Iterable[Entry]) -> Iterable[Entry]:
    return (it for it in entries if it.action == RuleAction.REFUSE)


def _refusal(words: str) -> Refusal:
    return Refusal(words, code=CODE)
