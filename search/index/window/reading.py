"""The newest posts that have some terms, from the window; where it ends, or can't be trusted, SQL
goes on.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from redistools import keys
from redistools.client import get_client
from redistools.life import ask_script
from redistools.scripts import Batch, Script
from redistools.servers.cluster import GuardedCluster

from ..wanted import Bounds, Wanted
from . import segments
from .segments import Segments
from .server import is_on
from .terms import Looked, looked_for

# How many segments are asked at once: the newest, and more where it has too few.
WAVES = (1, 3)
# A script stops after so many postings, in about a millisecond, and says where.
MOST_POSTINGS = 20_000

_find = Script(__file__, "find")


class Found(NamedTuple):
    ids: list[int]
    below: int  # SQL goes on below this id


class Answer(NamedTuple):
    """Of a segment."""

    first: int
    below: int | None
    stopped: int | None  # all from this id on were found; None: all of them
    ids: list[int]


def newest(wanted: Wanted, bounds: Bounds, limit: int) -> Found:
    """Newest first; posts that do not fit may be among them. One round trip if the newest segment
    has enough, one more for the next three, one for all others.
    """
    looked = looked_for(wanted) if is_on() else None
    if looked is None:
        return Found([], bounds.below)
    return _Search(looked, bounds, limit).run()


class _Search:
    def __init__(self, looked: Looked, bounds: Bounds, limit: int) -> None:
        self._looked, self._bounds, self._limit = looked, bounds, limit
        self._found = Found([], bounds.below)

    def run(self) -> Found:
        known, numbers = segments.known(), list[int]()
        while True:
            numbers = self._concerned(known)
            now, answers = self._ask(known, numbers[: WAVES[0]])
            if now == known:
                break
            known = now
        for number, answer in self._each(known, numbers, answers):
            if not self._take(number, answer, is_newest=number == known.newest_first()[0]):
                break
        return self._found

    def _concerned(self, known: Segments) -> list[int]:
        """Those that may have something, the newest first."""
        above, below = self._bounds
        found, upper = list[int](), below
        for number in known.newest_first():
            if known.first[number] < below and upper > above + 1:
                found.append(number)
                upper = known.first[number]
        return found

    def _each(
        self, known: Segments, numbers: Sequence[int], answers: Sequence[Answer | None]
    ) -> Iterator[tuple[int, Answer | None]]:
        """In waves: later ones are asked only if the earlier had too few, and all others at once if
        they are seldom.
        """
        rest = iter(numbers)
        yield from zip(islice(rest, WAVES[0]), answers, strict=True)
        is_seldom = len(self._found.ids) * sum(WAVES) < self._limit
        for size in (None,) if is_seldom else (*WAVES[1:], None):
            wave = list(islice(rest, size))
            now, answers = self._ask(known, wave) if wave else (known, [])
            if now != known:
                return
            yield from zip(wave, answers, strict=True)

    def _take(self, number: int, answer: Answer | None, *, is_newest: bool) -> bool:
        """Is something left to be found below?"""
        upper = self._found.below
        while answer and _reaches(answer, upper, is_newest=is_newest):
            ids = [*self._found.ids, *answer.ids][: self._limit]
            if len(ids) == self._limit:
                self._found = Found(ids, self._bounds.above + 1)
                return False
            self._found = Found(ids, answer.stopped or max(answer.first, self._bounds.above + 1))
            if answer.stopped is None:
                return self._found.below > self._bounds.above + 1
            answer = self._ask_again(number)
        return False

    def _ask_again(self, number: int) -> Answer | None:
        known = segments.known()
        now, answers = self._ask(known, [number])
        return answers[0] if now == known else None

    def _ask(self, known: Segments, numbers: Sequence[int]) -> tuple[Segments, list[Answer | None]]:
        """The list as it is now, and an answer of each; None if it can't be trusted: it is lost, or
        its server died since it was filled. One round trip.
        """
        client = get_client()
        batch, is_cluster = Batch(client), isinstance(client, GuardedCluster)
        segments.ask(batch, known)
        for number in numbers:
            batch.call(_find, [keys.search_segment(number)], self._arguments())
        for number in numbers if is_cluster else ():
            batch.call(ask_script, [keys.search_segment(number)])
        listed, *answers = batch.run()
        life, now = segments.heard(listed, known)
        lives = answers[len(numbers) :] if is_cluster else [life] * len(numbers)
        pairs = zip(answers[: len(numbers)], lives, strict=True)
        return now, [_parsed(*pair) for pair in pairs]

    def _arguments(self) -> list[str | int | bytes]:
        need, below = self._limit - len(self._found.ids), self._found.below
        values = [need, below, self._bounds.above, MOST_POSTINGS]
        return [*values, self._looked.refused, *self._looked.alternatives]


def _parsed(answer: Sequence[Any], life: str) -> Answer | None:
    if not answer or answer[0] != life:
        return None
    _, first, below, stopped, ids = answer
    return Answer(first, below or None, stopped or None, ids)


def _reaches(answer: Answer, upper: int, *, is_newest: bool) -> bool:
    """Has the segment all posts up to here? Only the newest has no end."""
    return is_newest if answer.below is None else answer.below >= upper
