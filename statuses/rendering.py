"""A status as HTML. The same article serves a page, a fragment and a live update.

Nearly all of it is the same for every reader, so a process renders a status once and keeps the
result; only the age and the reader's own actions are filled in each time. A changed status, or an
author's new name, makes another `StoredStatus`, and so another article.
"""

from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from django.utils.safestring import SafeString

from web.kept_html import HOLE, render_pieces

from .age import time_between
from .stored import StoredStatus

# About 2 kB each.
KEPT_ARTICLES = 20_000


class _Article(NamedTuple):
    """The HTML around the age and the actions."""

    posted_at: datetime
    before_age: str
    before_actions: str
    end: str


def article(status: StoredStatus, *, now: datetime, actions: str = "") -> SafeString:
    """`actions` is HTML: what the reader may do with the status."""
    posted_at, before_age, before_actions, end = _article(status)
    age = time_between(posted_at, now)
    return SafeString(f"{before_age}{age}{before_actions}{actions}{end}")


@lru_cache(KEPT_ARTICLES)
def _article(status: StoredStatus) -> _Article:
    context = {"status": status, "age": HOLE, "actions": HOLE}
    return _Article(status.posted_at, *render_pieces("statuses/_status.html", context))
