"""Pages of a home: as of any timeline, but each status once within a short way."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from redistools.loaded_set import End, IdPage, Range
from statuses.models import StatusQuerySet
from statuses.reading.shown import ShownStatus
from users.models import User
from web import pager
from web.pager import Step

from .paging import PAGE_SIZE, Ids, Pager, Source, from_redis, rest_of

# A status is not shown again this close below itself, no matter who boosted it.
NEAR = 40
# Ids read at once, since SQL says which of them are hidden and need not be read.
MOST_IDS = 20_000
# How many entries the last page of a home left out, by reader, as this process has seen it. The
# next one asks for as many more at once: else a lively home would cost seven round trips, not four.
_left_out: dict[int, int] = {}
READERS_KNOWN = 10_000


@dataclass(frozen=True, kw_only=True)
class HomeSource(Source):
    read_two: Callable[[Range, Range], tuple[IdPage, IdPage]]  # two pages in one round trip
    # Which of very many statuses are hidden: somebody may have answered strangers ten thousand
    # times in a row.
    hidden_in_sql: Callable[[Collection[int]], set[int]]


def home_page(source: HomeSource, wanted: Range, *, viewer: User) -> list[ShownStatus]:
    return HomePager(source, wanted, viewer).page()


class HomePager(Pager):
    _source: HomeSource
    _viewer: User

    def __init__(self, source: HomeSource, wanted: Range, viewer: User) -> None:
        super().__init__(source, wanted, viewer)
        self._ids: list[int] = []  # what was read, whether it is shown or not
        self._above: list[int] = []  # what stands right above what is read next
        self._hidden: set[int] = set()  # what need not be read to know that it is
        self._judged: set[int] = set()
        self._found: dict[int, ShownStatus] = {}
        self._gone: set[int] = set()

    @property
    def most(self) -> int:
        return MOST_IDS

    def page(self) -> list[ShownStatus]:
        entries = super().page()
        if entries and self._wanted.end == "newest":
            self._note_left_out(entries)
        return entries

    def _note_left_out(self, entries: Sequence[ShownStatus]) -> None:
        """Hidden entries and repeats above the last one that is on the page."""
        if len(_left_out) >= READERS_KNOWN:
            _left_out.clear()
        passed = sum(1 for status_id in self._ids if status_id >= entries[-1].id)
        _left_out[self._viewer.pk] = min(passed - len(entries), PAGE_SIZE)

    def read(self, rest: Range | None, limit: int) -> Step[list[int], Range]:
        asked = (rest or self._wanted)._replace(limit=limit + self._expected())
        ids, is_end = self.ids(asked)
        if len(ids) > pager.MOST_AT_ONCE:
            self._hidden = self._source.hidden_in_sql(ids)
        taken = _readable_at_once(ids, asked.end, self._hidden)
        is_end = is_end and len(taken) == len(ids)
        return Step(taken, None if is_end else rest_of(asked, taken))

    def _expected(self) -> int:
        is_first = not self._ids and self._wanted.end == "newest"
        return _left_out.get(self._viewer.pk, 0) if is_first else 0

    def ids(self, asked: Range) -> Ids:
        if asked.end == "oldest" or asked.below is None or self._ids:
            return super().ids(asked)
        right_above = _right_above(asked.below - 1)
        held, near = self._source.read_two(from_redis(asked), right_above)
        self._above = self.completed(right_above, near).ids
        return self.completed(asked, held)

    def keep(self, ids: list[int]) -> list[ShownStatus]:
        if self._wanted.end == "oldest" and ids:
            self._above = super().ids(_right_above(ids[0])).ids
        above = [it for it in self._above if it not in self._judged]
        self._judged.update(above, ids)
        statuses, gone = self.shown([*above, *(it for it in ids if it not in self._hidden)])
        self._found |= {entry.id: entry for entry in statuses}
        self._gone.update(gone)
        left = [it for it in ids if it not in self._gone] if self._gone else ids
        kept = without_repeats(left, self._found, above=self._above)
        self._ids += left
        self._above = [*self._above, *left][-NEAR:]
        return self._in_order(kept)

    def rows(self) -> StatusQuerySet:
        """Also what is hidden: it counts wherever it is read, since it keeps boosts apart."""
        return self._source.in_sql()


def _right_above(status_id: int) -> Range:
    return Range(above=status_id, limit=NEAR, end="oldest")


def _readable_at_once(ids: list[int], end: End, hidden: set[int]) -> list[int]:
    """As many of them, from this end, as leave no more to read than can be read at once."""
    if len(ids) <= pager.MOST_AT_ONCE:
        return ids
    in_order = ids if end == "newest" else ids[::-1]
    readable = [place for place, it in enumerate(in_order) if it not in hidden]
    if len(readable) <= pager.MOST_AT_ONCE:
        return ids
    taken = in_order[: readable[pager.MOST_AT_ONCE]]
    return taken if end == "newest" else taken[::-1]


def without_repeats(
    entry_ids: Sequence[int], shown: Mapping[int, ShownStatus], *, above: Sequence[int] = ()
) -> list[ShownStatus]:
    """Of the entries, newest first, those whose status was not shown within the last `NEAR`."""
    last: dict[int, int] = {}
    kept: list[ShownStatus] = []
    for place, entry_id in enumerate([*above, *entry_ids], start=-len(above)):
        if entry := shown.get(entry_id):
            before = last.get(entry.status.id)
            if place >= 0 and (before is None or place - before > NEAR):
                kept.append(entry)
            last[entry.status.id] = place
    return kept
