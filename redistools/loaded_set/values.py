"""What readers, writers and loaders of loaded sets pass around, and the marks that they share."""

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple, Self

from ..scripts import Argument

# Known only here and to `redistools/lua/loaded_set.lua`. A mark scores 0 or less, a member more.
BUILDING, WHOLE = "building", "0"
LOWEST = 1
# Also there: how long a set lives after it was used, or half as long.
LIFETIME = 30 * 24 * 3600

End = Literal["newest", "oldest"]


class Loaded(NamedTuple):
    """What was read from SQL: scores by member, and whether that is everything."""

    scores: Mapping[int, int]
    whole: bool = True


class Range(NamedTuple):
    """Ids strictly between `above` and `below`, at most `limit`, taken from one end."""

    above: int = 0
    below: int | None = None
    limit: int = 30
    end: End = "newest"

    def arguments(self) -> list[Argument]:
        return [self.above, "" if self.below is None else self.below, self.limit, self.end]


class IdPage(NamedTuple):
    """Ids, the newest first. Below `floor` there may be more, which only SQL knows."""

    ids: list[int]
    floor: int

    @classmethod
    def of(cls, answer: Iterable[str]) -> Self:
        """From a script that answers `{floor, id, id, …}`."""
        floor, *ids = map(int, answer)
        return cls(ids, floor)


class Scored(NamedTuple):
    """Members and their scores, the highest first. Below the score `floor` there may be more."""

    pairs: list[tuple[int, int]]
    floor: int
