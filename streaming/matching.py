"""What a client asked for, and which statuses that means.

`matches` is the specification: it looks at one filter and one status. The hub never calls it for
live events, where `index.py` finds the same clients without asking each; tests compare the two.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from zlib import crc32

from statuses.entities import Entity
from statuses.stored import StoredStatus

from .places import Box, Point
from .words import Phrase, words_of

BUCKETS = 100


@dataclass(frozen=True)
class Filter:
    """All empty: nothing matches. Languages narrow down what the rest has found."""

    percent: int = 0
    """How much of everything; 100 is the firehose."""

    track: frozenset[Phrase] = frozenset()
    follow: frozenset[int] = frozenset()
    boxes: frozenset[Box] = frozenset()
    authors: frozenset[int] = frozenset()
    """Only what they wrote themselves: a home."""

    languages: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Subject:
    """What filters look at in a status."""

    id: int
    author_id: int
    words: frozenset[str] = frozenset()
    addressees: frozenset[int] = frozenset()
    """Whom it answers, boosts, or names at its very beginning."""

    point: Point | None = None
    is_boost: bool = False
    language: str = ""

    @cached_property
    def bucket(self) -> int:
        """Spread evenly: the id's own last digits are mostly the same."""
        return crc32(str(self.id).encode()) % BUCKETS

    @cached_property
    def concerned(self) -> frozenset[int]:
        return self.addressees | {self.author_id}

    @cached_property
    def place(self) -> Point | None:
        """A boost is not where its original was."""
        return None if self.is_boost else self.point

    @cached_property
    def languages(self) -> frozenset[str]:
        """`pt-br` is also `pt`."""
        code = self.language.lower()
        return frozenset({code, code.partition("-")[0]})


def matches(wanted: Filter, status: Subject) -> bool:
    if wanted.languages and not wanted.languages & status.languages:
        return False
    return (
        status.bucket < wanted.percent
        or any(phrase <= status.words for phrase in wanted.track)
        or bool(wanted.follow & status.concerned)
        or status.author_id in wanted.authors
        or _is_inside(wanted, status)
    )


def _is_inside(wanted: Filter, status: Subject) -> bool:
    return status.place is not None and any(box.holds(status.place) for box in wanted.boxes)


def subject_of(status: StoredStatus) -> Subject:
    entities = status.found
    return Subject(
        id=status.id,
        author_id=status.author_id,
        words=words_of(status.text, entities),
        addressees=_addressees(entities),
        point=_point(status),
        language=status.language,
    )


def _addressees(entities: Collection[Entity]) -> frozenset[int]:
    """Whom it names at its very beginning."""
    return frozenset(it.account.id for it in entities if it.account and it.start == 0)


def _point(status: StoredStatus) -> Point | None:
    if status.longitude is None or status.latitude is None:
        return None
    return Point(status.longitude, status.latitude)
