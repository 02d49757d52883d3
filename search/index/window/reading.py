"""The newest posts that have some terms, from the window; where it ends, or can't be trusted, SQL
goes on.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
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

# A script stops after this many postings, in about a millisecond, and says where.
MOST_POSTINGS = 20_000

_find = Script(__file__, "find")

Run = list[int]


class Found(NamedTuple):
    ids: list[int]
    below: int  # SQL goes on below this id


class Answer(NamedTuple):
    """Of a run: segments that follow each other in one partition, as far as one call read them."""

    first: int
    below: int | None
    stopped: int | None  # all from this id on were found; None: all of them
    ids: list[int]


def newest(wanted: Wanted, bounds: Bounds, limit: int) -> Found:
    """Newest first; posts that do not fit may be among them. One round trip if the newest run of
    segments has enough, one more for the next run, one for all others.
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
        known, runs = segments.known(), list[Run]()
        while True:
            runs = self._concerned(known)
            now, answers = self._ask(known, runs[:1])
            if now == known:
                break
            known = now
        for run, answer in self._each(known, runs, answers):
            if not self._take(known, run, answer):
                break
        return self._found

    def _concerned(self, known: Segments) -> list[Run]:
        """Those that may have something, the newest first."""
        above, below = self._bounds.above, self._found.below
        found, upper = list[int](), below
        for number in known.newest_first:
            if known.first[number] < below and upper > above + 1:
                found.append(number)
                upper = known.first[number]
        return [list(run) for _, run in groupby(found, keys.search_run)]

    def _each(
        self, known: Segments, runs: Sequence[Run], answers: Sequence[Answer | None]
    ) -> Iterator[tuple[Run, Answer | None]]:
        """In waves: later ones are asked only if the earlier had too few, and all others at once if
        they are seldom.
        """
        yield from zip(runs[:1], answers, strict=True)
        is_seldom = len(self._found.ids) * len(runs) < self._limit
        for wave in (runs[1:],) if is_seldom else (runs[1:2], runs[2:]):
            now, answers = self._ask(known, wave) if wave else (known, [])
            if now != known:
                return
            yield from zip(wave, answers, strict=True)

    def _take(self, known: Segments, run: Run, answer: Answer | None) -> bool:
        """Is something left to be found below?"""
        is_newest = run[0] == known.newest_first[0]
        while answer and _reaches(answer, self._found.below, is_newest=is_newest):
            ids = [*self._found.ids, *answer.ids][: self._limit]
            if len(ids) == self._limit:
                self._found = Found(ids, self._bounds.above + 1)
                return False
            self._found = Found(ids, answer.stopped or max(answer.first, self._bounds.above + 1))
            if answer.stopped is None:
                return self._found.below > self._bounds.above + 1
            rest = [it for it in run if known.first[it] < self._found.below]
            answer, is_newest = self._ask_again(known, rest), rest[:1] == [known.newest_first[0]]
        return False

    def _ask_again(self, known: Segments, run: Run) -> Answer | None:
        now, answers = self._ask(known, [run] if run else [])
        return answers[0] if run and now == known else None

    def _ask(self, known: Segments, runs: Sequence[Run]) -> tuple[Segments, list[Answer | None]]:
        """The list as it is now, and an answer of each; None if it can't be trusted: it is lost, or
        its server died since it was filled. One round trip.
        """
        client = get_client()
        batch, is_cluster = Batch(client), isinstance(client, GuardedCluster)
        segments.ask(batch, known)
        named, arguments = [list(map(keys.search_segment, run)) for run in runs], self._arguments()
        for names in named:
            batch.call(_find, names, arguments)
        for names in named if is_cluster else ():
            batch.call(ask_script, names[:1])
        listed, *answers = batch.run()
        life, now = segments.heard(listed, known)
        lives = answers[len(runs) :] if is_cluster else [life] * len(runs)
        pairs = zip(answers[: len(runs)], lives, strict=True)
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
    """Has it all posts up to here? Only the newest segment has no end."""
    return is_newest if answer.below is None else answer.below >= upper
