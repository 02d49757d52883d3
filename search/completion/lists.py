"""For each beginning that many names share, the people who are offered first, in Redis.

A list holds everybody down to its floor, the rank of the last when it was loaded or cut: whoever
sinks below leaves it, since others whom it does not hold may come first by then. What is missing is
asked in SQL, where few share a beginning, or else loaded. The lists of a first letter lie in one
slot, packed into the fields of small hashes: seven bytes for the floor, five for each id.

While a list is loaded, a mark stands in its place. Whoever changes somebody in it takes the mark
away, and the load, which may have read what was before, is not kept.
"""

import secrets
from collections.abc import Collection, Iterable, Mapping
from struct import Struct
from typing import NamedTuple

from redistools import keys
from redistools.client import get_client
from redistools.exchange import Command
from redistools.scripts import Batch, Script
from redistools.writing_until_stable import ATTEMPTS, NeverStable
from users.names.folding import MAX_WORD
from users.names.models import NameWord, Source

from .ranking import Rank, all_of, best, ranks_of, shared

# A beginning that no more people share needs no list: they are all compared.
SHARED_BY = 50
KEPT = 50
# A list that got shorter is loaded again: readers need some more than they see.
LEAST = 30
DAY = 24 * 3600
# Then all lists of a bucket are loaded again.
LIFETIME = 30 * DAY

# Seven bits in each byte, so that they are text.
_ID, _LEVEL = 5, 2
_FLOOR = _LEVEL + _ID
_MARK = 3  # bytes, in hexadecimal shorter than a floor
_each_id = Struct(f"{_ID}B").iter_unpack

_replace = Script(__file__, "replace_list")


class Listed(NamedTuple):
    floor: Rank
    ids: list[int]


class Everybody(NamedTuple):
    """The first of those who share a beginning."""

    ids: list[int]
    whole: bool  # are there no others?


def command(beginning: str) -> Command:
    """Goes along with what else is read; `everybody` takes the answer."""
    return ("HGET", keys.names(beginning), beginning)


def everybody(beginning: str, answer: str | None) -> Everybody:
    """Asks SQL if Redis has no list, once if few share the beginning. Suspended and silenced people
    are not among them.
    """
    if answer is not None and (listed := unpacked(answer)):
        return Everybody(listed.ids, whole=False)
    few = all_of([beginning], most=SHARED_BY)
    if few is not None:
        return Everybody([it.user_id for it in few], whole=True)
    return Everybody(load(beginning), whole=False)


def load(beginning: str) -> list[int]:
    """Keeps nothing if somebody in it changes meanwhile, or too few may be offered. Two trips."""
    mark, bucket = secrets.token_hex(_MARK), keys.names(beginning)
    get_client().hset(bucket, beginning, mark)
    ranks = best([beginning], KEPT)
    new = packed(ranks[-1], ranks) if len(ranks) >= LEAST else ""
    _replace(get_client(), [bucket], [beginning, mark, new, _lifetime(bucket)])
    return [it.user_id for it in ranks]


def load_all() -> None:
    """Every list that Redis does not have. Reads all words once for each length of a beginning."""
    for length in range(1, MAX_WORD + 1):
        beginnings = shared(length, by=SHARED_BY)
        for beginning in beginnings - _held(beginnings).keys():
            load(beginning)
        if not beginnings:
            return


def forget(beginning: str) -> None:
    get_client().hdel(keys.names(beginning), beginning)


def forget_all() -> None:
    """After people were written in bulk."""
    batch = Batch(get_client())
    for bucket in keys.all_names():
        batch.add("UNLINK", bucket)
    batch.run()


def place(user_id: int, former: Iterable[str] = ()) -> None:
    """Puts somebody where SQL says into every list that Redis has: call it after their followers,
    names or standing have changed. `former`: words that they had.

    Each list is replaced atomically, and only as it was read. We look again afterwards, so the last
    to write has seen the last state of SQL. Two round trips and four queries; one of each where
    Redis has no list.
    """
    for _ in range(ATTEMPTS):
        words = _words(user_id)
        held = _held(_beginnings({*words, *former}))
        if not held:
            return
        lists = {it: unpacked(text) for it, text in held.items()}
        members = {user_id, *(it for listed in lists.values() if listed for it in listed.ids)}
        ranks = ranks_of(members)
        wanted = {
            it: _placed(listed, user_id, ranks, belongs=_begins(it, words)) if listed else ""
            for it, listed in lists.items()
        }
        if _write(held, wanted) and (ranks_of(members), _words(user_id)) == (ranks, words):
            return
    raise NeverStable(f"user {user_id} changed {ATTEMPTS} times while being placed")


def _placed(listed: Listed, user_id: int, ranks: Mapping[int, Rank], *, belongs: bool) -> str:
    """The list with the user in their place, or without them; empty if it is to be loaded again."""
    ids = {*listed.ids, user_id} if belongs else {*listed.ids} - {user_id}
    found = (ranks[it] for it in ids if it in ranks)
    first = sorted((it for it in found if it >= listed.floor), reverse=True)
    if len(first) < LEAST:
        return ""
    floor = first[KEPT - 1] if len(first) > KEPT else listed.floor
    return packed(floor, first[:KEPT])


def _write(held: Mapping[str, str], wanted: Mapping[str, str]) -> bool:
    """False if a list has changed since it was read."""
    batch = Batch(get_client())
    for beginning, new in wanted.items():
        if new != held[beginning]:
            bucket = keys.names(beginning)
            batch.call(_replace, [bucket], [beginning, held[beginning], new, _lifetime(bucket)])
    return all(batch.run())


def _held(beginnings: Collection[str]) -> dict[str, str]:
    batch = Batch(get_client())
    for beginning in beginnings:
        batch.add(*command(beginning))
    found = zip(beginnings, batch.run(), strict=True)
    return {beginning: text for beginning, text in found if text is not None}


def _words(user_id: int) -> frozenset[str]:
    """By the index of users: asked for names alone, SQLite reads those of everybody."""
    rows = NameWord.objects.filter(user_id=user_id).values_list("word", "source")
    return frozenset(word for word, source in rows if source == Source.NAME)


def _beginnings(words: Iterable[str]) -> set[str]:
    return {word[: length + 1] for word in words for length in range(len(word))}


def _begins(beginning: str, words: Iterable[str]) -> bool:
    return any(word.startswith(beginning) for word in words)


def _lifetime(bucket: str) -> int:
    """Spread over some hours: those that were loaded together don't all end at once."""
    return LIFETIME + 60 * keys.number(bucket)


def packed(floor: Rank, ranks: Iterable[Rank]) -> str:
    ids = "".join(_text(it.user_id, _ID) for it in ranks)
    return _text(floor.level, _LEVEL) + _text(floor.user_id, _ID) + ids


def unpacked(text: str) -> Listed | None:
    """None if it is a mark."""
    if len(text) < _FLOOR:
        return None
    signs = text.encode()
    level = signs[0] << 7 | signs[1]
    floor, *ids = (
        a << 28 | b << 21 | c << 14 | d << 7 | e for a, b, c, d, e in _each_id(signs[_LEVEL:])
    )
    return Listed(Rank(level, floor), ids)


def _text(number: int, length: int) -> str:
    return "".join(chr(number >> 7 * place & 127) for place in reversed(range(length)))
