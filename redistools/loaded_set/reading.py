"""Asking loaded sets by plain commands, many in one round trip."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..client import Client
from ..exchange import Command
from ..scripts import Argument, Batch
from .loading import Unknown, until_known
from .values import BUILDING, LIFETIME, LOWEST, WHOLE, Loaded


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

    def answers() -> list[Any] | Unknown:
        batch = Batch(client)
        _ask_state(batch, keys)
        for command in asked:
            batch.add(*command)
        found = batch.run()
        unknown = set(keys).difference(_known(client, keys, found[: 2 * len(keys)]))
        return Unknown(sorted(unknown)) if unknown else found[2 * len(keys) :]

    return until_known(answers, load)


def _ask_state(batch: Batch, keys: Iterable[str]) -> None:
    for key in keys:
        batch.add("TTL", key)
        batch.add("ZRANGE", key, 0, 0)


def _known(client: Client, keys: Sequence[str], answers: Sequence[Any]) -> list[str]:
    """A mark scores lowest, so the first member of a set says whether it is being loaded."""
    states = list(zip(keys, answers[::2], answers[1::2], strict=True))
    if ending := [key for key, left, _ in states if 0 <= left < LIFETIME / 2]:
        _keep(client, ending)
    return [key for key, _, lowest in states if lowest and lowest[0] != BUILDING]


def _keep(client: Client, keys: Iterable[str]) -> None:
    """What is used lives on. A round trip, once half its time is over."""
    batch = Batch(client)
    for key in keys:
        batch.add("EXPIRE", key, LIFETIME)
    batch.run()


def members(client: Client, key: str) -> list[int]:
    """All members, lowest score first. One round trip, O(n)."""
    batch = Batch(client)
    batch.add(*all_members(key))
    (answer,) = batch.run()
    return [int(member) for member in answer]


def all_members(key: str) -> Command:
    return ("ZRANGEBYSCORE", key, LOWEST, "+inf")


def members_after(key: str, score: int, limit: int) -> Command:
    """For `read`: the next members above a score, 0 at first. O(log n + limit)."""
    return ("ZRANGEBYSCORE", key, f"({score}", "+inf", "LIMIT", 0, limit)


def newest_members(key: str, *, below: int | None, limit: int) -> Command:
    """For `read`: the highest members and their scores, highest first. O(log n + limit)."""
    highest = "+inf" if below is None else f"({below}"
    return ("ZREVRANGEBYSCORE", key, highest, LOWEST, "WITHSCORES", "LIMIT", 0, limit)


def contents(client: Client, keys: Sequence[str]) -> dict[str, Loaded]:
    """What the known sets hold. Atomic for each, one round trip, O(n)."""
    batch = Batch(client)
    for key in keys:
        batch.add("ZRANGE", key, 0, -1, "WITHSCORES")
    held = {key: dict(pairs) for key, pairs in zip(keys, batch.run(), strict=True)}
    return {key: _loaded(pairs) for key, pairs in held.items() if pairs and BUILDING not in pairs}


def _loaded(pairs: dict[str, float]) -> Loaded:
    whole = pairs.pop(WHOLE, None) is not None
    return Loaded({int(member): int(score) for member, score in pairs.items()}, whole)
