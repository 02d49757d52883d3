"""Which segments the window has, and where each begins: the list, in Redis.

A process keeps it, and asks with each use whether it is still the newest. What it says of a segment
is a hint; the segment itself knows what it holds, up to where, and whether it can be trusted.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch, Script
from redistools.writing_until_stable import ATTEMPTS, NeverStable

_list = Script(__file__, "list")
_enlist = Script(__file__, "enlist")

Change = dict[str, int | str]


@dataclass(frozen=True)
class Segments:
    version: str = ""  # empty: there is no window
    first: Mapping[int, int] = field(default_factory=dict)  # the first id of each, by its number
    dropped: Mapping[int, int] = field(default_factory=dict)  # up to which bucket they were freed
    lowest: int = 0  # the lowest number that was ever given

    @cached_property
    def newest_first(self) -> Sequence[int]:
        return sorted(self.first, key=self.first.__getitem__, reverse=True)

    def of(self, status_id: int) -> int | None:
        """The segment that a post belongs to; None below the floor."""
        return next((it for it in self.newest_first if self.first[it] <= status_id), None)


NONE = Segments()
# As last read, by the name of the key.
_known: dict[str, Segments] = {}


def known() -> Segments:
    """Perhaps out of date; asks nobody."""
    return _known.get(keys.search_segments(), NONE)


def ask(batch: Batch, known: Segments) -> None:
    batch.call(_list, [keys.search_segments()], [known.version])


def heard(answer: Sequence[str], known: Segments) -> tuple[str, Segments]:
    """The life of the list's server, and the list."""
    life, version, *pairs = answer
    if version != known.version:
        known = _parsed(version, dict(zip(pairs[::2], pairs[1::2], strict=True)))
        _known[keys.search_segments()] = known
    return life, known


def read() -> Segments:
    """One round trip."""
    batch, before = Batch(get_client()), known()
    ask(batch, before)
    return heard(batch.run()[0], before)[1]


def listed() -> set[int]:
    """Also those that are still to be freed, and those of another life of the server, which will
    be. One round trip.
    """
    batch = Batch(get_client())
    batch.add("HKEYS", keys.search_segments())
    return {abs(int(it)) for it in batch.run()[0] if it.lstrip("-").isdigit()}


def change(wanted: Callable[[Segments], Change | None]) -> None:
    """Changes the list, as it is then; None: there is nothing to change. Two round trips."""
    for _ in range(ATTEMPTS):
        now = read()
        changes = wanted(now)
        if changes is None or enlist(now, changes):
            return
    raise NeverStable("the list of segments changed each time it was read")


def enlist(now: Segments, changes: Change) -> bool:
    """False if somebody else has changed it. Atomic, one round trip."""
    pairs: list[Any] = [value for pair in changes.items() for value in pair]
    arguments = [now.version, secrets.token_hex(8), *pairs]
    return bool(_enlist(get_client(), [keys.search_segments()], arguments))


def _parsed(version: str, fields: Mapping[str, str]) -> Segments:
    numbers = {int(it): int(value) for it, value in fields.items() if it.lstrip("-").isdigit()}
    return Segments(
        version,
        first={it: first for it, first in numbers.items() if it > 0},
        dropped={-it: bucket for it, bucket in numbers.items() if it < 0},
        lowest=int(fields.get("lowest", 0)),
    )
