"""In which order people and tags are offered: by how many follow or use them, and of as many the
newest first.

The lists that Redis keeps know steps of a tenth, so that a follow moves somebody in them only now
and then. Who is on the same step is compared when a list is read.
"""

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import QuerySet

# So many are looked up by their ids.
FEW = 2_000
# More followers than a column can count.
_MOST = 2**31

Pairs = QuerySet[Any, tuple[int, int]]


def _steps() -> list[int]:
    steps = [1]
    while steps[-1] < _MOST:
        steps.append(steps[-1] + max(1, steps[-1] // 10))
    return steps


_STEPS = _steps()


class Rank(NamedTuple):
    """The higher comes first."""

    level: int
    id: int


def level(count: int) -> int:
    return bisect_right(_STEPS, count)


def lowest_at(level: int) -> int:
    return _STEPS[level - 1] if level else 0


def highest_at(level: int) -> int:
    return _STEPS[level] - 1


def is_exact(level: int) -> bool:
    """Do all at this level have the same count?"""
    return lowest_at(level) == highest_at(level)


def ranked(rows: Iterable[tuple[int, int]]) -> list[Rank]:
    return [Rank(level(count), id_) for id_, count in rows]


class Ranking(ABC):
    """Everybody, or every tag, that may be offered to anybody."""

    # The columns of `offered`.
    id: str
    count: str
    # The longest beginning.
    longest: int

    @abstractmethod
    def ids(self, terms: Sequence[str], limit: int) -> list[int]:
        """Of those who match, offered or not."""

    @abstractmethod
    def offered(self, terms: Sequence[str]) -> Pairs:
        """Ids and counts of those who match and may be offered, each once."""

    @abstractmethod
    def counts_of(self, ids: Collection[int]) -> dict[int, int]:
        """Of those who may be offered. One query."""

    @abstractmethod
    def words_of(self, ids: Collection[int]) -> Mapping[int, frozenset[str]]:
        """By whose beginnings each is found; those that are gone are left out. One query."""

    @abstractmethod
    def shared(self, length: int, *, by: int) -> set[str]:
        """Beginnings of this length that more share. Reads all words."""

    def ranks_of(self, ids: Collection[int]) -> dict[int, Rank]:
        return {it.id: it for it in ranked(self.counts_of(ids).items())}

    def exactly(self, ids: Collection[int]) -> list[int]:
        """These by their counts, without the steps. One query."""
        return _by_count(self.counts_of(ids))

    def all_of(self, terms: Sequence[str], *, most: int) -> list[int] | None:
        """All who match and may be offered, without the steps; None if more match."""
        ids = self.ids(terms, most + 1)
        return self.exactly(ids) if len(ids) <= most else None

    def first(self, terms: Sequence[str], limit: int) -> list[int]:
        """Without the steps. Reads and sorts all who match, by index."""
        few = self.ids(terms, FEW)
        if len(few) < FEW:
            return self.exactly(few)[:limit]
        return [id_ for id_, _ in self._popular(terms)[:limit]]

    def best(self, terms: Sequence[str], limit: int) -> list[Rank]:
        """The first by steps. Reads and sorts all who match, by index; those of many twice, if the
        last of these shares a level with others.
        """
        few = self.ids(terms, FEW)
        if len(few) < FEW:
            return sorted(self.ranks_of(few).values(), reverse=True)[:limit]
        first = ranked(self._popular(terms)[: limit + 1])
        if len(first) <= limit:
            return sorted(first, reverse=True)
        last = first[limit - 1].level
        if first[limit].level < last:
            return sorted(first[:limit], reverse=True)
        above = [it for it in first if it.level > last]
        same = self.offered(terms).filter(
            **{f"{self.count}__range": (lowest_at(last), highest_at(last))}
        )
        newest = ranked(same.order_by(f"-{self.id}")[: limit - len(above)])
        return sorted(above, reverse=True) + newest

    def down_to(self, terms: Sequence[str], floor: Rank) -> list[Rank]:
        """All who match, down to this one."""
        least = {f"{self.count}__gte": lowest_at(floor.level)}
        found = ranked(self.offered(terms).filter(**least))
        return sorted((it for it in found if it >= floor), reverse=True)

    def _popular(self, terms: Sequence[str]) -> Pairs:
        return self.offered(terms).order_by(f"-{self.count}", f"-{self.id}")


def _by_count(counts: dict[int, int]) -> list[int]:
    return sorted(counts, key=lambda it: (counts[it], it), reverse=True)
