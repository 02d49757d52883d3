"""For each beginning that many names or tags share, those that are offered first, in Redis.

A list holds everybody down to its floor, the rank of the last when it was loaded or cut: whoever
sinks below leaves it, since others whom it does not hold may come first by then. What is missing is
asked in SQL, where few share a beginning, or else loaded. The lists of a first letter lie in one
slot, packed into the fields of small hashes (`packing.py`).

While a list is loaded, a mark stands in its place. Whoever changes somebody in it takes the mark
away, and the load, which may have read what was before, is not kept.
"""

import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from redistools import keys
from redistools.client import get_client
from redistools.exchange import Command
from redistools.scripts import Batch, Script
from redistools.writing_until_stable import ATTEMPTS, NeverStable

from .packing import Listed, Runs, is_list, packed, unpacked
from .ranking import Rank, Ranking

# A beginning that no more share needs no list: they are all compared.
SHARED_BY = 50
KEPT = 50
# A list that got shorter is loaded again: readers need some more than they see.
LEAST = 30
DAY = 24 * 3600
# Then all lists of a bucket are loaded again.
LIFETIME = 30 * DAY

_MARK = 3  # bytes, in hexadecimal

_replace = Script(__file__, "replace_list")


# Of those in a run, the ones with the higher counts come first.
Run = Sequence[int]


class Everybody(NamedTuple):
    """The first of those who share a beginning."""

    runs: Iterable[Run]  # in order
    whole: bool  # are there no others?

    @property
    def ids(self) -> list[int]:
        return [it for run in self.runs for it in run]

    def first(self, most: int) -> Iterator[Run]:
        """Enough runs for this many, if there are."""
        for run in self.runs:
            if most <= 0:
                return
            yield run
            most -= len(run)


@dataclass(frozen=True)
class Lists:
    """Of one kind: of names, or of tags."""

    bucket: Callable[[str], str]
    all_buckets: Callable[[], list[str]]
    ranking: Ranking

    def command(self, beginning: str) -> Command:
        """Goes along with what else is read; `everybody` takes the answer."""
        return ("HGET", self.bucket(beginning), beginning)

    def everybody(self, beginning: str, answer: str | None) -> Everybody:
        """Asks SQL if Redis has no list, once if few share the beginning. Who may not be offered is
        not among them.
        """
        if answer and is_list(answer):
            return Everybody(Runs(answer), whole=False)
        few = self.ranking.all_of([beginning], most=SHARED_BY)
        if few is not None:
            return Everybody([[it] for it in few], whole=True)
        return self.load(beginning)

    def load(self, beginning: str) -> Everybody:
        """Two round trips. Keeps nothing if somebody in it changes meanwhile, or too few may be
        offered.
        """
        mark, bucket = secrets.token_hex(_MARK), self.bucket(beginning)
        get_client().hset(bucket, beginning, mark)
        ranks = self.ranking.best([beginning], KEPT)
        new = packed(ranks[-1], ranks) if ranks else ""
        kept = new if len(ranks) >= LEAST else ""
        _replace(get_client(), [bucket], [beginning, mark, kept, _lifetime(bucket)])
        return Everybody(Runs(new) if new else (), whole=False)

    def load_all(self) -> None:
        """Every list that Redis does not have. Reads all words once for each length of a
        beginning.
        """
        for length in range(1, self.ranking.longest + 1):
            beginnings = self.ranking.shared(length, by=SHARED_BY)
            for beginning in beginnings - self._held(beginnings).keys():
                self.load(beginning)
            if not beginnings:
                return

    def forget(self, beginning: str) -> None:
        get_client().hdel(self.bucket(beginning), beginning)

    def forget_all(self) -> None:
        """After rows were written in bulk."""
        batch = Batch(get_client())
        for bucket in self.all_buckets():
            batch.add("UNLINK", bucket)
        batch.run()

    def place(self, id_: int, former: Iterable[str] = ()) -> None:
        """Puts somebody where SQL says into every list that Redis has: call it after their count,
        names or standing have changed. `former`: words that they had.

        Each list is replaced atomically, and only as it was read. We look again afterwards, so the
        last to write has seen the last state of SQL. Two round trips and four queries; one of each
        where Redis has no list.
        """
        for _ in range(ATTEMPTS):
            words = self._words(id_)
            held = self._held(_beginnings({*words, *former}))
            lists = {it: unpacked(text) for it, text in held.items()}
            if not lists:
                return
            members = {id_, *(it for listed in lists.values() if listed for it in listed.ids)}
            ranks = self.ranking.ranks_of(members)
            wanted = {
                it: _placed(listed, id_, ranks, belongs=_begins(it, words)) if listed else ""
                for it, listed in lists.items()
            }
            seen = ranks, words
            if self._write(held, wanted) and self._see(members, id_) == seen:
                return
        raise NeverStable(f"{id_} changed {ATTEMPTS} times while being placed")

    def place_all(self, ids: Collection[int]) -> None:
        """Places each, if a list holds them or should. One round trip and two queries for those
        that are too far down.
        """
        words, ranks = self.ranking.words_of(ids), self.ranking.ranks_of(ids)
        held = self._held(_beginnings({word for some in words.values() for word in some}))
        lists = {beginning: unpacked(text) for beginning, text in held.items()}
        for id_ in ids:
            theirs = _beginnings(words.get(id_, ())) & lists.keys()
            if any(_concerns(lists[it], id_, ranks.get(id_)) for it in theirs):
                self.place(id_)

    def _words(self, id_: int) -> frozenset[str]:
        return self.ranking.words_of([id_]).get(id_, frozenset())

    def _see(self, members: Collection[int], id_: int) -> tuple[dict[int, Rank], frozenset[str]]:
        return self.ranking.ranks_of(members), self._words(id_)

    def _write(self, held: Mapping[str, str], wanted: Mapping[str, str]) -> bool:
        """False if a list has changed since it was read."""
        batch = Batch(get_client())
        for beginning, new in wanted.items():
            if new != held[beginning]:
                bucket = self.bucket(beginning)
                known = beginning, held[beginning]
                batch.call(_replace, [bucket], [*known, new, _lifetime(bucket)])
        return all(batch.run())

    def _held(self, beginnings: Collection[str]) -> dict[str, str]:
        batch = Batch(get_client())
        for beginning in beginnings:
            batch.add(*self.command(beginning))
        found = zip(beginnings, batch.run(), strict=True)
        return {beginning: text for beginning, text in found if text is not None}


def _concerns(listed: Listed | None, id_: int, rank: Rank | None) -> bool:
    """A mark does: its load may have read too early."""
    return listed is None or id_ in listed.ids or (rank is not None and rank >= listed.floor)


def _placed(listed: Listed, id_: int, ranks: Mapping[int, Rank], *, belongs: bool) -> str:
    """The list with somebody in their place, or without them; empty if it is to be loaded again."""
    ids = {*listed.ids, id_} if belongs else {*listed.ids} - {id_}
    found = (ranks[it] for it in ids if it in ranks)
    first = sorted((it for it in found if it >= listed.floor), reverse=True)
    if len(first) < LEAST:
        return ""
    floor = first[KEPT - 1] if len(first) > KEPT else listed.floor
    return packed(floor, first[:KEPT])


def _beginnings(words: Iterable[str]) -> set[str]:
    return {word[: length + 1] for word in words for length in range(len(word))}


def _begins(beginning: str, words: Iterable[str]) -> bool:
    return any(word.startswith(beginning) for word in words)


def _lifetime(bucket: str) -> int:
    """Spread over some hours: those that were loaded together don't all end at once."""
    return LIFETIME + 60 * keys.number(bucket)
