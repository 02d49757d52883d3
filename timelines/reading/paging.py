"""Pages of a timeline: from Redis as far down as it reaches, then from SQL, without a seam."""

import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypedDict, Unpack

from django.http import HttpRequest

from redistools.loaded_set import End, IdPage, Range
from statuses.models import StatusQuerySet
from statuses.reading.shown import ShownStatus, StatusPage
from statuses.selectors import Show, Shown, show
from statuses.visibility.rules import NO_RULES, Rules
from users.models import User
from web import pager
from web.cursors import CURSORS, number_or_400
from web.pager import Step, past_hidden

from ..collecting import first_in_sql

PAGE_SIZE = 30


class Cursors(TypedDict, total=False):
    """Which page of a timeline. All are optional; ids are exclusive."""

    max_id: int | None  # statuses older than this one
    since_id: int | None  # the newest of the statuses after this one
    min_id: int | None  # the statuses right after this one
    limit: int  # how many at most; `PAGE_SIZE` by default


def make_range(**cursors: Unpack[Cursors]) -> Range:
    min_id = cursors.get("min_id")
    above = max(cursors.get("since_id") or 0, min_id or 0)
    end: End = "newest" if min_id is None else "oldest"
    return Range(above, cursors.get("max_id"), cursors.get("limit", PAGE_SIZE), end)


@dataclass(frozen=True)
class Source:
    read: Callable[[Range], IdPage]  # a page of what Redis holds
    # Every status of the timeline, for what is older than Redis reaches.
    in_sql: Callable[[], StatusQuerySet]
    forget: Callable[[Collection[int]], None]  # drops ids of statuses that no longer exist
    rules: Rules = NO_RULES  # what it hides from its reader
    # Authors of whom the caller knows whether only followers see them.
    followers_only: Mapping[int, bool] | None = None
    show: Show = show  # reads the statuses themselves
    # Whose of these belong to the timeline, where that is not for `in_sql` to say.
    authors_in_sql: Callable[[], Collection[int]] | None = None


def page(source: Source, wanted: Range, *, viewer: User | None) -> list[ShownStatus]:
    return Pager(source, wanted, viewer).page()


class Ids(NamedTuple):
    ids: list[int]  # newest first
    is_end: bool  # is there nothing beyond them?


class Pager:
    """One page of one timeline. From Redis it takes two round trips, three where there are boosts
    or replies. More only where statuses turn out to be gone (deleted: their ids are dropped) or
    hidden (from this viewer, for now: their ids stay).
    """

    def __init__(self, source: Source, wanted: Range, viewer: User | None) -> None:
        self._source, self._wanted, self._viewer = source, wanted, viewer

    @property
    def most(self) -> int:
        return pager.MOST_AT_ONCE

    def page(self) -> list[ShownStatus]:
        """The newest first: fewer than wanted only at the end of the timeline."""
        limit = self._wanted.limit
        found = past_hidden(
            self.read, self.keep, self._wanted, limit=limit, rounds=sys.maxsize, most=self.most
        )
        return self._in_order(found.rows[:limit])

    def read(self, rest: Range | None, limit: int) -> Step[list[int], Range]:
        asked = (rest or self._wanted)._replace(limit=limit)
        ids, is_end = self.ids(asked)
        return Step(ids, None if is_end else rest_of(asked, ids))

    def keep(self, ids: list[int]) -> list[ShownStatus]:
        return self._in_order(self.shown(ids).statuses)

    def shown(self, ids: list[int]) -> Shown:
        found = self._source.show(
            ids,
            viewer=self._viewer,
            rules=self._source.rules,
            followers_only=self._source.followers_only,
        )
        if found.gone:
            self._source.forget(found.gone)
        return found

    def ids(self, asked: Range) -> Ids:
        return self.completed(asked, self._source.read(from_redis(asked)))

    def completed(self, asked: Range, held: IdPage) -> Ids:
        """With what only SQL knows."""
        ids, floor = held
        limit = from_redis(asked).limit
        if asked.end == "oldest":
            if asked.above >= floor:
                return Ids(ids, is_end=len(ids) < limit)
            return self._ids_in_sql(asked)
        trusted = [status_id for status_id in ids if status_id >= floor]
        if len(trusted) == limit or asked.above >= floor:
            return Ids(trusted, is_end=len(trusted) < limit)
        below = min(bound for bound in (asked.below, floor, *trusted) if bound is not None)
        older = self._ids_in_sql(asked._replace(below=below, limit=asked.limit - len(trusted)))
        return Ids(trusted + older.ids, older.is_end)

    def _ids_in_sql(self, asked: Range) -> Ids:
        rows = self.rows().between(above=asked.above, below=asked.below)
        rows = rows.newest_first() if asked.end == "newest" else rows.order_by("id")
        if self._source.authors_in_sql:
            ids = first_in_sql(rows, self._source.authors_in_sql(), limit=asked.limit)
        else:
            ids = list(rows.values_list("id", flat=True)[: asked.limit])
        return Ids(ids if asked.end == "newest" else ids[::-1], is_end=len(ids) < asked.limit)

    def rows(self) -> StatusQuerySet:
        return self._source.in_sql().visible_to(self._viewer)

    def _in_order(self, entries: list[ShownStatus]) -> list[ShownStatus]:
        """Turns the newest first into the order of reading, and back."""
        return entries if self._wanted.end == "newest" else entries[::-1]


def rest_of(asked: Range, ids: list[int]) -> Range:
    """What is left of the range once these, newest first, have been taken from its end."""
    return asked._replace(below=ids[-1]) if asked.end == "newest" else asked._replace(above=ids[0])


def from_redis(asked: Range) -> Range:
    """A script handles a few hundred items at most."""
    most = pager.MOST_AT_ONCE
    return asked if asked.limit <= most else asked._replace(limit=most)


def status_page(request: HttpRequest, read: Callable[..., list[ShownStatus]]) -> StatusPage:
    """What `read` (a selector of a timeline) finds for the cursors in the address."""
    cursors = {name: number_or_400(request, name) for name in CURSORS}
    # One more than is shown: is there another page?
    found = read(**cursors, limit=PAGE_SIZE + 1)
    if cursors["min_id"] is not None:
        return _page_upwards(found)
    return _page_downwards(found, is_first=set(cursors.values()) == {None})


def _page_downwards(found: list[ShownStatus], *, is_first: bool) -> StatusPage:
    shown = found[:PAGE_SIZE]
    older = shown[-1].id if len(found) > PAGE_SIZE else None
    newer = shown[0].id if shown and not is_first else None
    return StatusPage(shown, older=older, newer=newer, is_first=is_first)


def _page_upwards(found: list[ShownStatus]) -> StatusPage:
    """The reader came from an older page, so there is always something older."""
    shown = found[-PAGE_SIZE:]
    newer = shown[0].id if len(found) > PAGE_SIZE else None
    return StatusPage(shown, older=shown[-1].id if shown else None, newer=newer, is_first=False)
