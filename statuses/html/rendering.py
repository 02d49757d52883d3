"""A status as HTML. The same article serves a page, a fragment and a live update.

Most readers get the same one, so a process renders it once and keeps it (`web/kept_html.py`); the
age, the counters and who boosted it are put in each time. A changed status, or an author's new
name, makes another `StoredStatus`, and so another article; so do a reader's own likes.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote

from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString

from web.kept_html import KeptHtml, holes, render_kept

from ..history import may_still_be_edited
from ..own import Mine
from ..shown import ShownStatus
from ..stored import StoredStatus
from .age import time_between

# About 4 kB each, with the status that is its key.
KEPT_ARTICLES = 20_000
KEPT_BOOSTS = 5_000


class Actions(NamedTuple):
    """What a reader can do with a status, and has done."""

    is_member: bool
    mine: Mine
    is_boostable: bool
    may_delete: bool
    may_edit: bool = False
    may_report: bool = False
    may_moderate: bool = False


class Reader(NamedTuple):
    """What an article must know of who reads it."""

    id: int | None = None
    moderates: bool = False

    def actions(self, entry: ShownStatus, now: datetime) -> Actions:
        """A page may stand open for longer than a status can be edited; the service decides."""
        status, is_member = entry.status, self.id is not None
        known = (is_member, entry.mine, entry.is_boostable)
        if is_member and self.id == status.author_id:
            may_edit = may_still_be_edited(status.posted_at, now)
            return Actions(*known, may_delete=True, may_edit=may_edit)
        return Actions(
            *known,
            may_delete=self.moderates,
            may_report=is_member,
            may_moderate=self.moderates,
        )


def articles(statuses: Sequence[ShownStatus], reader: Reader, *, back: str = "") -> SafeString:
    """All of a page. `back` is the page to return to after a deletion."""
    return SafeString("\n".join(each_article(statuses, reader, back=back)))


def each_article(
    statuses: Iterable[ShownStatus], reader: Reader, *, back: str = ""
) -> list[SafeString]:
    now = timezone.now()
    query = f"?next={quote(back, safe='')}" if back else ""
    return [_shown(entry, reader, now, query) for entry in statuses]


def article(
    status: StoredStatus, *, now: datetime, boost: StoredStatus | None = None
) -> SafeString:
    """The same for every reader: without actions."""
    posted_at, kept = _article(status, None)
    values = {"boosted": _boosted(boost), "age": time_between(posted_at, now)}
    return kept.filled(values)


def entry_html(status: StoredStatus, original: StoredStatus | None, *, now: datetime) -> SafeString:
    """The same for every reader: a status, or what somebody boosts."""
    if original is None:
        return article(status, now=now)
    return article(original, now=now, boost=status)


def _shown(entry: ShownStatus, reader: Reader, now: datetime, back: str) -> SafeString:
    counts = entry.counts
    posted_at, kept = _article(entry.status, reader.actions(entry, now))
    values = {
        "boosted": _boosted(entry.boost),
        "age": time_between(posted_at, now),
        "replies": _count(counts.replies),
        "boosts": _count(counts.boosts),
        "likes": _count(counts.likes),
        "back": back,
    }
    html = kept.filled(values)
    return folded_away(html, entry.status.username) if entry.folded else html


def folded_away(html: SafeString, username: str) -> SafeString:
    """An article with a word that its reader has muted. Around what is kept, not in it: others see
    the article itself.
    """
    return _fold(username).filled({"article": html})


def _count(number: int) -> str:
    """Nothing for none; `1.2k` for many."""
    if number < 1_000:
        return str(number or "")
    return f"{number / 1_000:.1f}k" if number < 1_000_000 else f"{number / 1_000_000:.1f}M"


@lru_cache(KEPT_ARTICLES)
def _article(status: StoredStatus, actions: Actions | None) -> tuple[datetime, KeptHtml]:
    """With the moment it was posted, which takes long to work out from its id."""
    varying = holes("boosted", "age", "replies", "boosts", "likes", "back")
    context = {"status": status, "actions": actions} | varying
    return status.posted_at, render_kept("statuses/_status.html", context)


def _boosted(boost: StoredStatus | None) -> str:
    return _booster(boost) if boost else ""


@lru_cache(KEPT_BOOSTS)
def _fold(username: str) -> KeptHtml:
    return render_kept("statuses/_folded.html", {"username": username} | holes("article"))


@lru_cache(KEPT_BOOSTS)
def _booster(boost: StoredStatus) -> str:
    return render_to_string("statuses/_boosted.html", {"boost": boost})
