"""Pages of a timeline: from Redis as far down as it reaches, then from SQL, without a seam."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypedDict, Unpack

from redistools.loaded_set import End, Range, Slice
from statuses.models import StatusQuerySet
from statuses.seeing.rules import NO_RULES, Rules
from statuses.selectors import Show, show
from statuses.shown import ShownStatus
from users.models import User

from .collecting import first_in_sql
from .home_rules import NEAR, without_repeats

PAGE_SIZE = 30
# Read in some ten milliseconds.
MOST_AT_ONCE = 400
# The same, where SQL says which of them are hidden and need not be read.
MOST_IDS = 20_000


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

    limited: Mapping[int, bool] | None = None
    """Authors of whom the caller knows whether only followers see them."""

    hidden_in_sql: Callable[[Collection[int]], set[int]] | None = None
    """Which of very many statuses are hidden: somebody may have answered strangers ten thousand
    times in a row.
    """

    show: Show = show
    """Reads the statuses themselves."""

    authors_in_sql: Callable[[], Collection[int]] | None = None
    """Whose of these belong to the timeline, where that is not for `in_sql` to say."""


def page(source: Source, wanted: Range, *, viewer: User | None) -> list[ShownStatus]:
    """The statuses, newest first: fewer than asked for only at the end of the timeline.

    Two round trips, three where there are boosts or replies. More only where statuses turn out to
    be gone (deleted: their ids are dropped) or hidden (from this viewer, for now: their ids stay).
    Twice as many as were left out are asked for next, so a home full of them is passed in a few
    steps; and as many more than wanted as this reader's last page left out, so most take one.
    """
    reader = _Reader(source, wanted, viewer)
    rest: Range | None = reader.first_range()
    while rest:
        rest = reader.read(rest)
        found = reader.shown()
        if len(found) >= wanted.limit:
            break
        if rest:
            limit = max(wanted.limit - len(found), 2 * (len(reader.ids) - len(found)))
            rest = rest._replace(limit=limit)
    reader.note_left_out(found)
    return found[: wanted.limit] if wanted.end == "newest" else found[-wanted.limit :]


# How many entries the last page of a home left out, by reader, as this process has seen it.
_left_out: dict[int, int] = {}
READERS_KNOWN = 10_000


class _Reader:
    """What was read of a timeline so far."""

    def __init__(self, source: Source, wanted: Range, viewer: User | None) -> None:
        self._source, self._wanted, self._viewer = source, wanted, viewer
        self.ids: list[int] = []
        """Newest first, whether they are shown or hidden."""
        self._found: dict[int, ShownStatus] = {}
        self._gone: set[int] = set()
        self._above: list[int] = []
        """What stands above them on the page before."""

    def read(self, asked: Range) -> Range | None:
        """Returns what is left to be read; None at the end of the timeline."""
        ids, is_end = self._read_ids(asked)
        hidden = self._hidden(ids)
        taken = _readable_at_once(ids, asked.end, hidden)
        if asked.end == "oldest":
            self._read_above(taken)
        self._show([status_id for status_id in taken if status_id not in hidden])
        left = [status_id for status_id in taken if status_id not in self._gone]
        self.ids = [*self.ids, *left] if asked.end == "newest" else [*left, *self.ids]
        return None if is_end and len(taken) == len(ids) else _rest(asked, taken)

    def _hidden(self, ids: Collection[int]) -> set[int]:
        """What need not be read to know that it is hidden."""
        if self._source.hidden_in_sql is None or len(ids) <= MOST_AT_ONCE:
            return set()
        return self._source.hidden_in_sql(ids)

    def _show(self, ids: Collection[int]) -> None:
        above = [status_id for status_id in self._above if status_id not in self._found]
        shown, gone = self._source.show(
            [*above, *ids],
            viewer=self._viewer,
            rules=self._source.rules,
            limited=self._source.limited,
        )
        if gone:
            self._source.forget(gone)
        self._gone |= {*gone}
        self._found |= {entry.id: entry for entry in shown}

    def _read_ids(self, asked: Range) -> "_Ids":
        source, viewer = self._source, self._viewer
        is_further_down = asked.below is not None and not self.ids
        if source.read_two is None:
            return _ids(source, asked, viewer)
        if asked.end == "oldest" or not is_further_down:
            return _ids(source, asked, viewer)
        right_above = _right_above((asked.below or 0) - 1)
        slice_, near = source.read_two(_from_redis(asked), right_above)
        self._above = _completed(source, right_above, near, viewer).ids
        return _completed(source, asked, slice_, viewer)

    def _read_above(self, ids: list[int]) -> None:
        if self._source.read_two and ids:
            self._above = _ids(self._source, _right_above(ids[0]), self._viewer).ids

    def first_range(self) -> Range:
        if not self._is_home_downwards:
            return self._wanted
        left_out = _left_out.get(self._viewer.pk, 0) if self._viewer else 0
        return self._wanted._replace(limit=self._wanted.limit + left_out)

    def note_left_out(self, shown: Sequence[ShownStatus]) -> None:
        """Hidden entries and repeats above the last one that is on the page."""
        on_page = shown[: self._wanted.limit]
        if not self._viewer or not on_page or not self._is_home_downwards:
            return
        if len(_left_out) >= READERS_KNOWN:
            _left_out.clear()
        passed = sum(1 for status_id in self.ids if status_id >= on_page[-1].id)
        _left_out[self._viewer.pk] = min(passed - len(on_page), PAGE_SIZE)

    @property
    def _is_home_downwards(self) -> bool:
        return self._source.read_two is not None and self._wanted.end == "newest"

    def shown(self) -> list[ShownStatus]:
        if self._source.read_two is None:
            return [self._found[it] for it in self.ids if it in self._found]
        kept = without_repeats([*self._above, *self.ids], self._found)
        return [entry for entry in kept if entry.id not in self._above]


class _Ids(NamedTuple):
    ids: list[int]
    """Newest first."""

    is_end: bool
    """Is there nothing beyond them?"""


def _rest(wanted: Range, ids: list[int]) -> Range:
    """What is left of the range once these, newest first, have been taken from its end."""
    return (
        wanted._replace(below=ids[-1]) if wanted.end == "newest" else wanted._replace(above=ids[0])
    )


def _readable_at_once(ids: list[int], end: End, hidden: set[int]) -> list[int]:
    """As many of them, from this end, as leave no more to read than can be read at once."""
    in_order = ids if end == "newest" else ids[::-1]
    readable = [place for place, it in enumerate(in_order) if it not in hidden]
    if len(readable) <= MOST_AT_ONCE:
        return ids
    taken = in_order[: readable[MOST_AT_ONCE]]
    return taken if end == "newest" else taken[::-1]


def _right_above(status_id: int) -> Range:
    return Range(above=status_id, limit=NEAR, end="oldest")


def _from_redis(wanted: Range) -> Range:
    """A script handles a few hundred items at most."""
    return wanted._replace(limit=min(wanted.limit, MOST_AT_ONCE))


def _ids(source: Source, wanted: Range, viewer: User | None) -> _Ids:
    return _completed(source, wanted, source.read(_from_redis(wanted)), viewer)


def _completed(source: Source, wanted: Range, held: Slice, viewer: User | None) -> _Ids:
    """With what only SQL knows."""
    ids, floor = held
    asked = _from_redis(wanted).limit
    if wanted.end == "oldest":
        if wanted.above >= floor:
            return _Ids(ids, is_end=len(ids) < asked)
        return _ids_in_sql(source, wanted, viewer)
    trusted = [status_id for status_id in ids if status_id >= floor]
    if len(trusted) == asked or wanted.above >= floor:
        return _Ids(trusted, is_end=len(trusted) < asked)
    below = min(bound for bound in (wanted.below, floor, *trusted) if bound is not None)
    rest = wanted._replace(below=below, limit=wanted.limit - len(trusted))
    older = _ids_in_sql(source, rest, viewer)
    return _Ids(trusted + older.ids, older.is_end)


def _ids_in_sql(source: Source, wanted: Range, viewer: User | None) -> _Ids:
    limit = min(wanted.limit, MOST_IDS if source.hidden_in_sql else MOST_AT_ONCE)
    rows = source.in_sql().between(above=wanted.above, below=wanted.below)
    if source.read_two is None:
        rows = rows.visible_to(viewer)  # A home counts hidden ones too, wherever they are read.
    rows = rows.newest_first() if wanted.end == "newest" else rows.order_by("id")
    if source.authors_in_sql:
        ids = first_in_sql(rows, source.authors_in_sql(), limit=limit)
    else:
        ids = list(rows.values_list("id", flat=True)[:limit])
    return _Ids(ids if wanted.end == "newest" else ids[::-1], is_end=len(ids) < limit)
