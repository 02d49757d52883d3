"""A status as HTML. The same article serves a page, a fragment and a live update.

Most of it is the same for every reader, so a process renders a status once and keeps the result;
the age, the counters and the reader's own actions are put in each time. A changed status, or an
author's new name, makes another `StoredStatus`, and so another article.
"""

from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString

from web.kept_html import HOLE, filled, render_pieces

from .age import time_between
from .history import may_still_be_edited
from .own import Mine
from .shown import ShownStatus
from .stored import StoredStatus

# About 2 kB each.
KEPT_ARTICLES = 20_000
KEPT_ACTIONS = 20_000
KEPT_BOOSTS = 5_000


class Reader(NamedTuple):
    """What an article must know of who reads it."""

    id: int | None = None
    moderates: bool = False

    def may_delete(self, status: StoredStatus) -> bool:
        return self.moderates or self._wrote(status)

    def may_report(self, status: StoredStatus) -> bool:
        return self.id is not None and not self._wrote(status)

    def may_moderate(self, status: StoredStatus) -> bool:
        return self.moderates and not self._wrote(status)

    def may_edit(self, status: StoredStatus, now: datetime) -> bool:
        """A page may stand open for longer than that; the service decides."""
        return self._wrote(status) and may_still_be_edited(status.posted_at, now)

    def _wrote(self, status: StoredStatus) -> bool:
        return self.id is not None and self.id == status.author_id


class _Article(NamedTuple):
    """The HTML around the booster, the age and the actions."""

    posted_at: datetime
    before_boosted: str
    before_age: str
    before_actions: str
    end: str


def article(
    status: StoredStatus, *, now: datetime, actions: str = "", boosted: str = ""
) -> SafeString:
    """`actions` and `boosted` are HTML: what the reader can do with it, and who boosted it."""
    posted_at, before_boosted, before_age, before_actions, end = _article(status)
    age = time_between(posted_at, now)
    return SafeString(f"{before_boosted}{boosted}{before_age}{age}{before_actions}{actions}{end}")


def entry_html(status: StoredStatus, original: StoredStatus | None, *, now: datetime) -> SafeString:
    """The same for every reader: a status, or what somebody boosts."""
    if original is None:
        return article(status, now=now)
    return article(original, now=now, boosted=_boosted(status))


def shown_article(entry: ShownStatus, reader: Reader, *, now: datetime, back: str) -> SafeString:
    """One entry of a page. `back` is a query that names the page to return to."""
    boosted = _boosted(entry.boost) if entry.boost else ""
    actions = _filled_actions(entry, reader, now, back)
    return article(entry.status, now=now, actions=actions, boosted=boosted)


def _filled_actions(entry: ShownStatus, reader: Reader, now: datetime, back: str) -> str:
    status, counts = entry.status, entry.counts
    pieces = _actions(
        *(status.id, status.username, status.posted_at),
        *(reader.id is not None, entry.mine),
        *(reader.may_delete(status), reader.may_edit(status, now)),
        *(reader.may_report(status), reader.may_moderate(status)),
    )
    numbers = map(_count, (counts.replies, counts.boosts, counts.likes))
    return filled(pieces, [*numbers, back, back])


def _count(number: int) -> str:
    """Nothing for none; `1.2k` for many."""
    if number < 1_000:
        return str(number or "")
    return f"{number / 1_000:.1f}k" if number < 1_000_000 else f"{number / 1_000_000:.1f}M"


@lru_cache(KEPT_ARTICLES)
def _article(status: StoredStatus) -> _Article:
    context = {"status": status, "age": HOLE, "actions": HOLE, "boosted": HOLE}
    return _Article(status.posted_at, *render_pieces("statuses/_status.html", context))


@lru_cache(KEPT_BOOSTS)
def _boosted(boost: StoredStatus) -> str:
    return render_to_string("statuses/_boosted.html", {"boost": boost})


@lru_cache(KEPT_ACTIONS)
def _actions(
    status_id: int,
    username: str,
    posted_at: datetime,
    is_member: bool,
    mine: Mine,
    may_delete: bool,
    may_edit: bool,
    may_report: bool,
    may_moderate: bool,
) -> list[str]:
    context = {
        "id": status_id,
        "address": reverse("status", args=[username, status_id]),
        "posted_at": posted_at,
        "is_member": is_member,
        "mine": mine,
        "may_delete": may_delete,
        "may_edit": may_edit,
        "may_report": may_report,
        "may_moderate": may_moderate,
        **dict.fromkeys(("replies", "boosts", "likes", "back"), HOLE),
    }
    return render_pieces("statuses/_actions.html", context)
