"""Finding posts. Whatever an index still says, SQL, the reader's rules and the text decide."""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

from explore.store import POSTS, WEIGHTS
from redistools.ids import SEQUENCE_BITS
from relations.models import Follow
from statuses import store
from statuses.models import Bookmark, Status, StatusQuerySet
from statuses.reading.shown import ShownStatus, StatusPage
from statuses.selectors import show
from statuses.visibility.rules import NO_RULES, FeedRules, Rules
from timelines.reading.paging import PAGE_SIZE
from users.models import User
from web import pager
from web.pager import MOST_AT_ONCE, ROUNDS, Step, rest_after

from .index.newest import newest
from .index.writing import findable
from .query.meaning import Meaning, meaning_of
from .query.syntax import Query

Order = Literal["latest", "top"]
# What the top is chosen from.
NEWEST = 500


class Ranked(NamedTuple):
    id: int
    score: float


def search_posts(
    query: Query,
    *,
    viewer: User | None,
    before: int | None = None,
    below_score: float | None = None,
    order: Order = "latest",
) -> StatusPage:
    """`before` is the cursor of a page of the latest, `below_score` of the top.

    Raises BadQuery. A few queries and two round trips; more where much is found that does not fit.
    """
    found = _Search(meaning_of(query, viewer=viewer), viewer)
    return found.top(below_score) if order == "top" else found.latest(before)


class _Search:
    def __init__(self, meaning: Meaning, viewer: User | None) -> None:
        self._meaning, self._viewer = meaning, viewer
        self._is_personal = bool(viewer) and (meaning.only_own or meaning.only_bookmarks)
        self._rules: Rules = NO_RULES if self._is_personal else FeedRules()

    def latest(self, before: int | None) -> StatusPage:
        rows, older = pager.page(
            self._read, self._keep, before, size=PAGE_SIZE, cursor_of=lambda entry: entry.id
        )
        return StatusPage(rows, older=older, is_first=before is None)

    def top(self, below: float | None) -> StatusPage:
        """The newest that fit, by the formula of what is popular."""
        ranked = sorted(_ranked(self._newest()), key=lambda it: it.score, reverse=True)

        def read(cursor: float | None, limit: int) -> Step[list[Ranked], float]:
            some = [it for it in ranked if cursor is None or it.score < cursor][:limit]
            return Step(some, rest_after([it.score for it in some], limit))

        def keep(some: list[Ranked]) -> list[tuple[float, ShownStatus]]:
            scores = {it.id: it.score for it in some}
            return [(scores[entry.id], entry) for entry in self._keep([*scores])]

        rows, more = pager.page(read, keep, below, size=PAGE_SIZE, cursor_of=lambda row: row[0])
        cursor = None if more is None else repr(more)
        return StatusPage([entry for _, entry in rows], is_first=below is None, more=cursor)

    def _newest(self) -> list[int]:
        found: list[int] = []
        rest: int | None = None
        for _ in range(ROUNDS):
            ids, rest = self._read(rest, MOST_AT_ONCE)
            found += ids
            if rest is None or len(found) >= NEWEST:
                break
        return found[:NEWEST]

    def _keep(self, ids: Sequence[int]) -> list[ShownStatus]:
        shown = show(list(ids), viewer=self._viewer, rules=self._rules).statuses
        return [entry for entry in shown if self._meaning.fits(entry.status)]

    def _read(self, before: int | None, limit: int) -> Step[list[int], int]:
        """Of what comes next in the index, or among the reader's own, that which may be shown."""
        read = self._read_own if self._is_personal else self._read_index
        bounds = self._meaning.bounds
        below = bounds.below if before is None else min(before, bounds.below)
        return read(below, MOST_AT_ONCE if self._is_narrowed else limit)

    @property
    def _is_narrowed(self) -> bool:
        """Is much of what is read left out, but by SQL, which is quick?"""
        return bool(self._is_personal or self._meaning.min_likes or self._meaning.only_followed)

    def _read_index(self, below: int, limit: int) -> Step[list[int], int]:
        bounds = self._meaning.bounds._replace(below=below)
        ids = newest(self._meaning.wanted, bounds, limit)
        rows = findable(self._narrowed(Status.objects.listed())).filter(pk__in=ids)
        allowed = set(rows.values_list("pk", flat=True))
        return Step([it for it in ids if it in allowed], rest_after(ids, limit))

    def _read_own(self, below: int, limit: int) -> Step[list[int], int]:
        """No index has what is not public: the texts are looked through, some at a time."""
        ids = self._own_ids(below, limit)
        rows = self._narrowed(Status.objects.filter(pk__in=ids)).without_boosts()
        if self._meaning.only_own:
            rows = rows.filter(author=self._viewer)
        seen = rows.visible_to(self._viewer).with_names().newest_first()
        fitting = [it.id for it in store.render(list(seen)) if self._meaning.fits(it)]
        return Step(fitting, rest_after(ids, limit))

    def _own_ids(self, below: int, limit: int) -> list[int]:
        """By an index that has them in order, so it doesn't matter how many there are."""
        above = self._meaning.bounds.above
        if self._meaning.only_bookmarks:
            kept = Bookmark.objects.filter(
                user=self._viewer, status_id__gt=above, status_id__lt=below
            )
            return list(kept.order_by("-status_id").values_list("status_id", flat=True)[:limit])
        said = Status.objects.filter(author=self._viewer).between(above=above, below=below)
        return list(said.newest_first().values_list("pk", flat=True)[:limit])

    def _narrowed(self, rows: StatusQuerySet) -> StatusQuerySet:
        if self._meaning.min_likes:
            rows = rows.filter(likes_count__gte=self._meaning.min_likes)
        if self._meaning.only_followed:
            follows = Follow.objects.filter(follower=self._viewer)
            rows = rows.filter(author__in=follows.values("followee"))
        return rows


def _ranked(ids: Sequence[int]) -> list[Ranked]:
    rows = Status.objects.filter(pk__in=ids).values_list("pk", "likes_count", "boosts_count")
    return [Ranked(pk, _score(pk, likes, boosts)) for pk, likes, boosts in rows]


def _score(status_id: int, likes: int, boosts: int) -> float:
    """With the sequence of the id behind the point: no two posts score the same."""
    moment = status_id / (1 << SEQUENCE_BITS)
    weight = 1 + WEIGHTS["like"] * likes + WEIGHTS["boost"] * boosts
    return math.log2(weight) + moment / POSTS.half_life_ms
