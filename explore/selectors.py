"""What goes on on the site: popular posts, tags that rise, and what anybody says."""

from collections.abc import Sequence
from functools import partial
from typing import Unpack

from redistools.loaded_set import IdPage, Range
from statuses.models import Status, StatusQuerySet
from statuses.reading import from_sql
from statuses.reading.shown import ShownStatus, StatusPage
from statuses.reading.summaries import languages_of
from statuses.selectors import show
from statuses.visibility.rules import FeedRules
from timelines.reading.paging import PAGE_SIZE, Cursors, Source, make_range, page
from users.models import User
from web import pager
from web.pager import Step, rest_after

from . import store
from .store import Ranked, TrendingTag


def trending_tags(limit: int) -> list[TrendingTag]:
    """One round trip, no SQL."""
    return store.trending_tags(limit)


def popular(viewer: User | None, language: str = "", *, after: float | None = None) -> StatusPage:
    """What people like, boost and answer most these days. `after`: the cursor of the page before.

    Two round trips; three with a language. Deleted posts leave the board when they are found.
    """

    def read(below: float | None, limit: int) -> Step[list[Ranked], float]:
        # In one language there may be little: then the whole board is looked through.
        board = store.popular(below=below, limit=store.POSTS.size if language else limit)
        some = _perhaps_in(language, board)[:limit]
        return Step(some, rest_after([it.score for it in some], limit))

    def keep(some: list[Ranked]) -> list[tuple[float, ShownStatus]]:
        scores = {it.id: it.score for it in some}
        shown, gone = show([*scores], viewer=viewer, rules=FeedRules())
        if gone:
            store.forget_posts(gone)
        return [(scores[it.id], it) for it in shown if language in ("", it.status.language)]

    rows, more = pager.page(read, keep, after, size=PAGE_SIZE, cursor_of=lambda row: row[0])
    statuses = [entry for _, entry in rows]
    cursor = None if more is None else repr(more)
    return StatusPage(statuses, is_first=after is None, more=cursor)


def _perhaps_in(language: str, board: Sequence[Ranked]) -> list[Ranked]:
    """Leaves out other languages. What Redis does not know stays, to be found out."""
    if not language:
        return list(board)
    known = languages_of([it.id for it in board])
    return [it for it in board if known.get(it.id, language) == language]


def newest(
    viewer: User | None, language: str = "", **cursors: Unpack[Cursors]
) -> list[ShownStatus]:
    """Leaves out replies and boosts. One query for the ids, one round trip."""
    in_sql = partial(newest_in_sql, language)
    source = Source(_nothing_in_redis, in_sql, lambda _gone: None, FeedRules())
    return page(source, make_range(**cursors), viewer=viewer)


def newest_from_sql(viewer: User | None, **cursors: Unpack[Cursors]) -> list[ShownStatus]:
    """For use while Redis is away. Some ten queries."""
    in_sql = partial(newest_in_sql, "")
    source = Source(_nothing_in_redis, in_sql, lambda _gone: None, FeedRules(), show=from_sql.show)
    return page(source, make_range(**cursors), viewer=viewer)


def newest_in_sql(language: str) -> StatusQuerySet:
    """The index `status_by_language` has these rows in order."""
    rows = Status.objects.listed().filter(reply_to__isnull=True, boost_of__isnull=True)
    return rows.filter(language=language) if language else rows


def _nothing_in_redis(_wanted: Range) -> IdPage:
    return IdPage([], floor=2**53)
