"""Pages of a timeline: from Redis as far down as it reaches, then from SQL, without a seam."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TypedDict, Unpack

from redistools.loaded_set import End, Range, Slice
from statuses.models import StatusQuerySet
from statuses.selectors import NO_RULES, Rules, show
from statuses.shown import ShownStatus
from users.models import User

from .rules import NEAR, without_repeats

PAGE_SIZE = 30
# Read in some ten milliseconds.
MOST_AT_ONCE = 400


class Cursors(TypedDict, total=False):
    """Which page of a timeline. All are optional; ids are exclusive."""

    max_id: int | None
    """Statuses older than this one."""

    since_id: int | None
    """The newest of the statuses after this one."""

    min_id: int | None
    """The statuses right after this one."""

    limit: int
    """How many at most; `PAGE_SIZE` by default."""


def make_range(**cursors: Unpack[Cursors]) -> Range:
    min_id = cursors.get("min_id")
    above = max(cursors.get("since_id") or 0, min_id or 0)
    end: End = "newest" if min_id is None else "oldest"
    return Range(above, cursors.get("max_id"), cursors.get("limit", PAGE_SIZE), end)


@dataclass(frozen=True)
class Source:
    """Where a timeline's ids come from."""

    read: Callable[[Range], Slice]
    """A page of what Redis holds."""

    in_sql: Callable[[], StatusQuerySet]
    """Every status of the timeline, for what is older than Redis reaches."""

    forget: Callable[[Collection[int]], None]
    """Drops ids of statuses that no longer exist."""

    rules: Rules = NO_RULES
    """What it hides from its reader."""

    read_two: Callable[[Range, Range], tuple[Slice, Slice]] | None = None
    """Two pages in one round trip. With it, nothing is shown twice within a short way: a home."""

    follows_all: bool = False
    """Does its reader follow all its authors?"""

    limited: Mapping[int, bool] | None = None
    """Authors of whom the caller knows whether only followers see them."""


def page(source: Source, wanted: Range, *, viewer: User | None) -> list[ShownStatus]:
    """The statuses, newest first: fewer than asked for only at the end of the timeline.

    Two round trips, three where there are boosts or replies. More only where statuses turn out to
    be gone (deleted: their ids are dropped) or hidden (from this viewer, for now: their ids stay).
    Twice as many as were left out are asked for next, so a home full of them is passed in a few
    steps.
    """
    reader = _Reader(source, wanted, viewer)
    asked = wanted
    while True:
        ids = reader.read(asked)
        found = reader.shown()
        if len(found) >= wanted.limit or len(ids) < asked.limit:
            return found[: wanted.limit] if wanted.end == "newest" else found[-wanted.limit :]
        limit = max(wanted.limit - len(found), 2 * (len(reader.ids) - len(found)))
        asked = _rest(asked, ids)._replace(limit=min(limit, MOST_AT_ONCE))


class _Reader:
    """What was read of a timeline so far."""

    def __init__(self, source: Source, wanted: Range, viewer: User | None) -> None:
        self._source, self._wanted, self._viewer = source, wanted, viewer
        self.ids: list[int] = []
        """Newest first, whether they are shown or hidden."""
        self._found: dict[int, ShownStatus] = {}
        self._above: list[int] = []
        """What stands above them on the page before."""

    def read(self, asked: Range) -> list[int]:
        """Returns the ids that were found, whether they are shown or not."""
        ids = self._read_ids(asked)
        above = [status_id for status_id in self._above if status_id not in self._found]
        shown, gone = show(
            [*above, *ids],
            viewer=self._viewer,
            rules=self._source.rules,
            follows_all=self._source.follows_all,
            limited=self._source.limited,
        )
        if gone:
            self._source.forget(gone)
        self._found |= {entry.id: entry for entry in shown}
        left = [status_id for status_id in ids if status_id not in gone]
        self.ids = [*self.ids, *left] if asked.end == "newest" else [*left, *self.ids]
        return ids

    def _read_ids(self, asked: Range) -> list[int]:
        source, viewer = self._source, self._viewer
        if source.read_two is None:
            return _ids(source, asked, viewer)
        if asked.end == "oldest":
            ids = _ids(source, asked, viewer)
            self._above = _ids(source, _right_above(ids[0]), viewer) if ids else []
            return ids
        if asked.below is None or self.ids:
            return _ids(source, asked, viewer)
        right_above = _right_above(asked.below - 1)
        slice_, near = source.read_two(asked, right_above)
        self._above = _completed(source, right_above, near, viewer)
        return _completed(source, asked, slice_, viewer)

    def shown(self) -> list[ShownStatus]:
        if self._source.read_two is None:
            return [self._found[it] for it in self.ids if it in self._found]
        kept = without_repeats([*self._above, *self.ids], self._found)
        return [entry for entry in kept if entry.id not in self._above]


def _rest(wanted: Range, ids: list[int]) -> Range:
    """What is left of the range once these, newest first, have been taken from its end."""
    return (
        wanted._replace(below=ids[-1]) if wanted.end == "newest" else wanted._replace(above=ids[0])
    )


def _right_above(status_id: int) -> Range:
    return Range(above=status_id, limit=NEAR, end="oldest")


def _ids(source: Source, wanted: Range, viewer: User | None) -> list[int]:
    return _completed(source, wanted, source.read(wanted), viewer)


def _completed(source: Source, wanted: Range, held: Slice, viewer: User | None) -> list[int]:
    """With what only SQL knows."""
    ids, floor = held
    if wanted.end == "oldest":
        return ids if wanted.above >= floor else _ids_in_sql(source, wanted, viewer)
    trusted = [status_id for status_id in ids if status_id >= floor]
    if len(trusted) == wanted.limit or wanted.above >= floor:
        return trusted
    below = min(bound for bound in (wanted.below, floor, *trusted) if bound is not None)
    rest = wanted._replace(below=below, limit=wanted.limit - len(trusted))
    return trusted + _ids_in_sql(source, rest, viewer)


def _ids_in_sql(source: Source, wanted: Range, viewer: User | None) -> list[int]:
    rows = source.in_sql().visible_to(viewer).between(above=wanted.above, below=wanted.below)
    if wanted.end == "newest":
        return list(rows.newest_first().values_list("id", flat=True)[: wanted.limit])
    return list(rows.order_by("id").values_list("id", flat=True)[: wanted.limit])[::-1]
