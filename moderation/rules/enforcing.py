"""What rules do when somebody signs up, or publishes something."""

from collections.abc import Iterable

from django.utils.translation import gettext

from redistools.scripts import Batch
from statuses.publication.events import noticed
from statuses.stored import StoredStatus
from users.events import about_to_publish, about_to_use_email, about_to_join
from users.models import User
from web.refusals import Refusal

from .book import Entry
from .current import book
from .models import RuleAction
from .reporting import report_found_account, report_found_status

CODE = "rule"


@about_to_publish.then
def refuse_text(_user: User, text: str) -> None:
    for entry in _refusing(book().on_text(text)):
        words = gettext("“%(pattern)s” is not allowed on this site.")
        raise _refusal(words % {"pattern": entry.pattern})


@about_to_use_email.then
def refuse_email(email: str) -> None:
    for entry in _refusing(book().on_email(email)):
        words = gettext("Addresses at %(domain)s can't be used on this site. Use another one.")
        raise _refusal(words % {"domain": entry.pattern})


@about_to_join.then
def refuse_or_report_newcomer(user: User, address: str) -> None:
    found = [*book().on_address(address), *book().on_email(user.email)]
    for _entry in _refusing(found):
        raise _refusal(gettext("Nobody can sign up from your network. Try another one."))
    for entry in found:
        report_found_account(entry, user)


@noticed.then
def report_text(_batch: Batch, status: StoredStatus) -> None:
    """In a worker: nobody waits for it. Again after each edit."""
    said = f"{status.warning} {status.text}"
    found = [it for it in book().on_text(said) if it.action == RuleAction.REPORT]
    if found:
        report_found_status(found[0], status)


def _refusing(entries: Iterable[Entry]) -> Iterable[Entry]:
    return (it for it in entries if it.action == RuleAction.REFUSE)


def _refusal(words: str) -> Refusal:
    return Refusal(words, code=CODE)
