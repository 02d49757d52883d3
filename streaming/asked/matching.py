"""What a client asked for, and which statuses match.

`matches` is the specification, for one filter and one status, and serves replays. Live events go
through `engine/index.py`, which finds the same streams without trying each. A test compares them.
"""

from dataclasses import dataclass
from typing import NamedTuple

from statuses.words.terms import Phrase

from ..event import Point, StatusFacts


class Box(NamedTuple):
    """South-west and north-east corner; the edges belong to it."""

    west: float
    south: float
    east: float
    north: float

    def holds(self, point: Point) -> bool:
        return (
            self.west <= point.longitude <= self.east and self.south <= point.latitude <= self.north
        )


@dataclass(frozen=True)
class Filter:
    """An empty filter matches nothing. Languages narrow down what the rest has found."""

    percent: int = 0  # how much of everything; 100 is the firehose
    track: frozenset[Phrase] = frozenset()
    follow: frozenset[int] = frozenset()
    boxes: frozenset[Box] = frozenset()
    authors: frozenset[int] = frozenset()  # only what they wrote themselves: a home
    tags: frozenset[str] = frozenset()  # what has one of these tags: a home too
    languages: frozenset[str] = frozenset()


def matches(wanted: Filter, status: StatusFacts) -> bool:
    if wanted.languages and not wanted.languages & status.languages:
        return False
    return (
        status.bucket < wanted.percent
        or any(map(status.says, wanted.track))
        or bool(wanted.follow & status.concerned)
        or status.author_id in wanted.authors
        or not wanted.tags.isdisjoint(status.tags)
        or _is_inside(wanted, status)
    )


def _is_inside(wanted: Filter, status: StatusFacts) -> bool:
    return status.place is not None and any(box.holds(status.place) for box in wanted.boxes)
