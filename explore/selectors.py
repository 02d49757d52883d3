"""What goes on on the site: popular posts, tags that rise, and what anybody says."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Unpack

from redistools.loaded_set import Range, Slice
from statuses import from_sql
from statuses.models import Status, StatusQuerySet
from statuses.outline import languages_of
from statuses.seeing.rules import FeedRules
from statuses.shown import ShownStatus
from timelines.paging import PAGE_SIZE, Cursors, Source, make_range, page
from timelines.ranking.ranked import RankedPage, first_visible, in_steps
from users.models import User

from . import store
from .store import TrendingTag

# Posts read of the board at once: enough for a page, even if some are hidden.
AT_FIRST = 2 * PAGE_SIZE


def trending_tags(limit: int) -> list[TrendingTag]:
    """One round trip, no SQL."""
    return store.trending_tags(limit)


def popular(viewer: User | None, language: str = "", *, after: float | None = None) -> RankedPage:
    """What people like, boost and answer most these days. `after`: the cursor of the page before.

    Two round trips; three with a language. Deleted posts leave the board when they are found.
    """
    scores: dict[int, float] = {}
    found = first_visible(
        _candidates(language, after, scores),
        viewer=viewer,
        rules=FeedRules(),
        forget=store.forget_posts,
        wanted=lambda entry: language in ("", entry.language),
    )
    shown = found[:PAGE_SIZE]
    more = repr(scores[shown[-1].id]) if len(found) > PAGE_SIZE else None
    return RankedPage(shown, more, is_first=after is None)


def _candidates(
    language: str, after: float | None, scores: dict[int, float]
) -> Iterator[Sequence[int]]:
    """What may be shown, a page or more at a time; notes the scores. For a language it takes the
    whole board at once: there may be little of it.
    """
    limit = store.POSTS.size if language else AT_FIRST
    while True:
        ranked = store.popular(below=after, limit=limit)
        scores |= {it.id: it.score for it in ranked}
        yield from in_steps(_perhaps_in(language, [it.id for it in ranked]))
        if len(ranked) < limit:
            return
        after = ranked[-1].score


def _perhaps_in(language: str, status_ids: Sequence[int]) -> Sequence[int]:
    """Without those in other languages. What Redis does not know stays, to be found out."""
    if not language:
        return status_ids
    known = languages_of(status_ids)
    return [it for it in status_ids if known.get(it, language) == language]


def newest(
    viewer: User | None, language: str = "", **cursors: Unpack[Cursors]
) -> list[ShownStatus]:
    """What anybody says, without replies and boosts. One query for the ids, one round trip."""
    in_sql = partial(newest_in_sql, language)
    source = Source(_nothing_in_redis, in_sql, lambda _gone: None, FeedRules())
    return page(source, make_range(**cursors), viewer=viewer)


def newest_from_sql(viewer: User | None, **cursors: Unpack[Cursors]) -> list[ShownStatus]:
    """As `newest`, while Redis is away. Some ten queries."""
    in_sql = partial(newest_in_sql, "")
    source = Source(_nothing_in_redis, in_sql, lambda _gone: None, FeedRules(), show=from_sql.show)
    return page(source, make_range(**cursors), viewer=viewer)


def newest_in_sql(language: str) -> StatusQuerySet:
    """The index `status_by_language` has these rows in order."""
    rows = Status.objects.listed().filter(reply_to__isnull=True, boost_of__isnull=True)
    return rows.filter(language=language) if language else rows


def _nothing_in_redis(_wanted: Range) -> Slice:
    return Slice([], floor=2**53)
