"""What a rule would have caught in the last week, before it holds."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Any

from django.db.models import QuerySet

from redistools.ids import first_id_at
from statuses.models import Status
from users.login.models import Session
from users.models import User

from .book import Entry, RuleBook
from .models import Rule
from .patterns import Pattern
from .reporting import text_about, text_of

WEEK = timedelta(days=7)
# Read at the most: a second's work. What is newest counts most.
MOST_ROWS = 20_000
MOST_EXAMPLES = 20
AT_ONCE = 1_000


@dataclass(frozen=True)
class Caught:
    """`examples` are the newest: posts, or accounts. `is_complete`: there was no more in that week
    than we look at.
    """

    looked_at: int
    count: int
    examples: list[Any]
    is_complete: bool


def what_it_would_have_caught(
    rule: Rule, *, now: datetime, posts: QuerySet[Status] | None = None
) -> Caught:
    """`posts`: those that the moderator may read."""
    entry = Entry(0, rule.kind, rule.pattern, rule.action, rule.category)
    look = {
        Pattern.WORDS: _in_posts,
        Pattern.LINK: _in_posts,
        Pattern.MAIL: _in_addresses,
        Pattern.ADDRESS: _in_networks,
    }[Pattern(rule.kind)]
    return look(RuleBook([entry]), now - WEEK, Status.objects.all() if posts is None else posts)


def _in_posts(book: RuleBook, since: datetime, posts: QuerySet[Status]) -> Caught:
    rows = posts.filter(pk__gte=first_id_at(since), boost_of__isnull=True)
    rows = rows.select_related("author").order_by("-pk")[:MOST_ROWS]
    said = ((row, any(book.on_text(text_of(row)))) for row in _walk(rows))
    # Of names and bios nobody knows when they were changed.
    named = ((user, any(book.on_text(text_about(user)))) for user in _newcomers(since))
    return _caught(said, named)


def _in_addresses(book: RuleBook, since: datetime, _posts: object) -> Caught:
    return _caught((user, any(book.on_email(user.email))) for user in _newcomers(since))


def _in_networks(book: RuleBook, since: datetime, _posts: object) -> Caught:
    """By where their sessions began: more is not kept of anybody."""
    newcomers = {user.pk: user for user in _newcomers(since)}
    pairs = Session.objects.filter(user__gte=min(newcomers, default=0))
    found = {
        user_id
        for user_id, address in _walk(pairs.values_list("user", "address"))
        if any(book.on_address(address))
    }
    return _caught((user, user.pk in found) for user in newcomers.values())


def _newcomers(since: datetime) -> Iterator[User]:
    """Accounts are numbered as they come; there is no index by their date."""
    newest = User.objects.order_by("-pk")[:MOST_ROWS]
    return takewhile(lambda user: user.date_joined >= since, _walk(newest))


def _walk(rows: QuerySet[Any]) -> Iterable[Any]:
    return rows.iterator(chunk_size=AT_ONCE)


def _caught(*judged: Iterable[tuple[Any, bool]]) -> Caught:
    looked_at = [list(pairs) for pairs in judged]
    found = [row for pairs in looked_at for row, is_caught in pairs if is_caught]
    return Caught(
        looked_at=sum(map(len, looked_at)),
        count=len(found),
        examples=found[:MOST_EXAMPLES],
        is_complete=all(len(pairs) < MOST_ROWS for pairs in looked_at),
    )
