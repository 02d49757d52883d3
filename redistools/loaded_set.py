"""Sorted sets that copy SQL, and know whether the copy is whole.

A plain sorted set can't tell "nobody" from "lost". A loaded set keeps a mark beside its members:

    no key       unknown: load it from SQL before trusting it
    `building`   being loaded; writers write to it already, readers do not trust it yet
    `0`          whole: what is not in it does not exist
    no mark      whole down to its lowest member; what is older was trimmed and is in SQL

Loading is safe while others write. The mark comes first, so no addition is missed from then on.
Removing a member changes the version (the score of `building`), and a load that may already have
read that member from SQL starts over. Writers leave unknown sets alone.

A set that nobody reads for a month expires, and is loaded when it is next needed. Writing to it
does not count: nobody needs what only others write to.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from .chunks import chunks
from .client import Client
from .exchange import Command
from .lateness import may_be_late, on_time
from .scripts import Argument, Batch, Script

# Known only here and to `lua/loaded_set.lua`. A mark scores 0 or less, a member more.
_BUILDING, _WHOLE = "building", "0"
_LOWEST = 1
# One part keeps Redis busy for well under a millisecond.
PART = 500
ATTEMPTS = 20
# Also in `lua/loaded_set.lua`: how long a set lives after it was used, or half as long.
LIFETIME = 30 * 24 * 3600
# Trimming only occasionally halves the work of a write.
SLACK = 32

_open = Script(__file__, "loaded_set_open")
_add = Script(__file__, "loaded_set_add")
_put = Script(__file__, "loaded_set_put")
_drop = Script(__file__, "loaded_set_drop")
_write_pair = Script(__file__, "loaded_set_pair")
_page = Script(__file__, "loaded_set_page")
_scored = Script(__file__, "loaded_set_scored")


class LoadFailed(Exception):  # noqa: N818 - reads as what happened
    """The set changed each time it was loaded."""


class Loaded(NamedTuple):
    """What was read from SQL: scores by member, and whether that is everything."""

    scores: Mapping[int, int]
    whole: bool = True


End = Literal["newest", "oldest"]


class Range(NamedTuple):
    """Ids strictly between `above` and `below`, at most `limit`, taken from one end."""

    above: int = 0
    below: int | None = None
    limit: int = 30
    end: End = "newest"

    def arguments(self) -> list[Argument]:
        return [self.above, "" if self.below is None else self.below, self.limit, self.end]


class Slice(NamedTuple):
    """Ids, the newest first. Below `floor` there may be more, which only SQL knows."""

    ids: list[int]
    floor: int


def page(client: Client, key: str, wanted: Range) -> Slice | None:
    """For a set whose members are ids, scored by themselves. None if it must be loaded first.

    Atomic, one round trip, O(log n + limit). A replica may answer (`redistools/lateness.py`), but
    not that the set must be loaded.
    """
    answer = _page_of(client, key, wanted)
    if answer is None and may_be_late():
        with on_time():
            answer = _page_of(client, key, wanted)
    if answer is None:
        return None
    floor, *ids = map(int, answer)
    return Slice(ids, floor)


def _page_of(client: Client, key: str, wanted: Range) -> list[str] | None:
    batch = Batch(client)
    batch.call(_page, [key], wanted.arguments(), late=True)
    (answer,) = batch.run()
    return answer  # type: ignore[no-any-return] # of Redis


class Scored(NamedTuple):
    """Members and their scores, the highest first. Below the score `floor` there may be more."""

    pairs: list[tuple[int, int]]
    floor: int


def scored_page(client: Client, key: str, *, below: int | None, limit: int) -> Scored | None:
    """The members with the highest scores below one. None if the set must be loaded first.

    Atomic, one round trip, O(log n + limit).
    """
    answer = _scored(client, [key], ["" if below is None else below, limit])
    if answer is None:
        return None
    floor, *rest = (int(float(part)) for part in answer)
    return Scored(list(zip(rest[::2], rest[1::2], strict=True)), floor)


def highest(client: Client, keys: Sequence[str], count: int) -> list[list[int] | None]:
    """The highest ids of each set. None if it must be loaded first, or does not reach that far.

    Atomic for each set, one round trip, O(log n + count) for each.
    """
    batch = Batch(client)
    for key in keys:
        batch.call(_page, [key], Range(limit=count).arguments())
    return [_all_wanted(answer, count) for answer in batch.run()]


def _all_wanted(answer: list[str] | None, count: int) -> list[int] | None:
    if answer is None:
        return None
    floor, *ids = map(int, answer)
    return ids if floor == 0 or len(ids) == count else None


def known(client: Client, keys: Sequence[str]) -> list[str]:
    """The sets that readers can trust. One round trip, O(1) for each."""
    batch = Batch(client)
    _ask_state(batch, keys)
    return _known(client, keys, batch.run())


def read(
    client: Client,
    keys: Sequence[str],
    commands: Iterable[Sequence[Argument]],
    load: Callable[[list[str]], object],
) -> list[Any]:
    """The answers to commands about sets; `load` gets the sets that must be loaded first.

    One round trip when all are known. Not atomic: others may write between two commands.
    """
    asked = list(commands)
    for _ in range(ATTEMPTS):
        batch = Batch(client)
        _ask_state(batch, keys)
        for command in asked:
            batch.add(*command)
        answers = batch.run()
        states, found = answers[: 2 * len(keys)], answers[2 * len(keys) :]
        unknown = set(keys) - set(_known(client, keys, states))
        if not unknown:
            return found
        load(sorted(unknown))
    raise LoadFailed(f"{keys} keep vanishing")


def _ask_state(batch: Batch, keys: Iterable[str]) -> None:
    for key in keys:
        batch.add("TTL", key)
        batch.add("ZRANGE", key, 0, 0)


def _known(client: Client, keys: Sequence[str], answers: Sequence[Any]) -> list[str]:
    """A mark scores lowest, so the first member of a set says whether it is being loaded."""
    states = list(zip(keys, answers[::2], answers[1::2], strict=True))
    if ending := [key for key, left, _ in states if 0 <= left < LIFETIME / 2]:
        _keep(client, ending)
    return [key for key, _, lowest in states if lowest and lowest[0] != _BUILDING]


def _keep(client: Client, keys: Iterable[str]) -> None:
    """What is used lives on. A round trip now and then: only once half its time is over."""
    batch = Batch(client)
    for key in keys:
        batch.add("EXPIRE", key, LIFETIME)
    batch.run()


def load(
    client: Client,
    key: str,
    read: Callable[[], Loaded],
    *,
    for_ever: bool = False,
    again: bool = False,
) -> None:
    """Fill an unknown set with what `read` finds in SQL; a set that is ready is left alone.

    With `again` a ready set is read once more, keeping what it has. With `for_ever` it stays even
    if nobody uses it. Any number of processes may load the same set at once.
    """
    load_many(client, [key], lambda _keys: {key: read()}, for_ever=for_ever, again=again)


def load_many(
    client: Client,
    keys: Collection[str],
    read: Callable[[Collection[str]], Mapping[str, Loaded]],
    *,
    for_ever: bool = False,
    again: bool = False,
) -> None:
    """Like `load`, for sets that one query can fill together. Two round trips if all goes well."""
    waiting = list(keys)
    for _ in range(ATTEMPTS):
        versions = _open_all(client, waiting, for_ever=for_ever, again=again)
        if not versions:
            return
        waiting = _fill(client, versions, read(versions.keys()))
        again = False
        if not waiting:
            return
    raise LoadFailed(f"{waiting} changed during each of {ATTEMPTS} attempts to load them")


def members(client: Client, key: str) -> list[int]:
    """All members, lowest score first. One round trip, O(n)."""
    batch = Batch(client)
    batch.add(*all_members(key))
    (answer,) = batch.run()
    return [int(member) for member in answer]


def all_members(key: str) -> Command:
    """For `read`: all members, lowest score first. O(n)."""
    return ("ZRANGEBYSCORE", key, _LOWEST, "+inf")


def members_after(key: str, score: int, limit: int) -> Command:
    """For `read`: the next members above a score, 0 at first. O(log n + limit)."""
    return ("ZRANGEBYSCORE", key, f"({score}", "+inf", "LIMIT", 0, limit)


def newest_members(key: str, *, below: int | None, limit: int) -> Command:
    """For `read`: the highest members and their scores, highest first. O(log n + limit)."""
    highest = "+inf" if below is None else f"({below}"
    return ("ZREVRANGEBYSCORE", key, highest, _LOWEST, "WITHSCORES", "LIMIT", 0, limit)


def contents(client: Client, keys: Sequence[str]) -> dict[str, Loaded]:
    """What the known sets hold. Atomic for each, one round trip, O(n)."""
    batch = Batch(client)
    for key in keys:
        batch.add("ZRANGE", key, 0, -1, "WITHSCORES")
    held = {key: dict(pairs) for key, pairs in zip(keys, batch.run(), strict=True)}
    return {key: _loaded(pairs) for key, pairs in held.items() if pairs and _BUILDING not in pairs}


def _loaded(pairs: dict[str, float]) -> Loaded:
    whole = pairs.pop(_WHOLE, None) is not None
    return Loaded({int(member): int(score) for member, score in pairs.items()}, whole)


def put(batch: Batch, key: str, member: int, score: int, *, cap: int) -> None:
    """Add a member, if the set is known, and keep the `cap` highest. Atomic, O(log n)."""
    batch.call(_put, [key], [score, member, cap, SLACK])


def most(cap: int) -> int:
    """How many members a set may have if `put` keeps it to `cap`."""
    return cap + SLACK


def drop(batch: Batch, key: str, members: Iterable[int]) -> None:
    """Remove members, if the set is known. Atomic, O(log n) for each."""
    batch.call(_drop, [key], [*members])


def write_pair(
    batch: Batch, one: tuple[str, int], other: tuple[str, int], *, score: int | None
) -> None:
    """Put a member into each of two sets of one slot, or, with None, take it out of both.

    Atomic, O(log n). Unknown sets are left alone.
    """
    batch.call(_write_pair, [one[0], other[0]], [one[1], other[1], score or ""])


def _open_all(
    client: Client, keys: Sequence[str], *, for_ever: bool, again: bool
) -> dict[str, str]:
    """The sets that need loading, with their versions."""
    batch = Batch(client)
    for key in keys:
        batch.call(_open, [key], [int(for_ever), int(again)])
    answers = zip(keys, batch.run(), strict=True)
    return {key: version for key, version in answers if version is not None}


def _fill(client: Client, versions: Mapping[str, str], loaded: Mapping[str, Loaded]) -> list[str]:
    """Returns the sets that have to be read again. One round trip for any number of parts."""
    batch, owners = Batch(client), []
    for key, version in versions.items():
        floor = 0 if loaded[key].whole else min(loaded[key].scores.values())
        # Redis serves others between two parts; an empty set takes one too, which ends the load.
        parts = list(chunks(loaded[key].scores.items(), PART)) or [[]]
        for number, part in enumerate(parts, start=1):
            pairs = [value for member, score in part for value in (score, member)]
            batch.call(_add, [key], [version, floor if number == len(parts) else "", *pairs])
            owners.append(key)
    outcomes = zip(owners, batch.run(), strict=True)
    return list(dict.fromkeys(key for key, added in outcomes if not added))
