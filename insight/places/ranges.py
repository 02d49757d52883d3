"""Ranges of addresses, and which place they have: as runs, and as blocks of runs for Redis.

An address has a position of 64 bits: an IPv4 address its 32 and as many zeros, an IPv6 address its
upper 64, since one person has all that follow (`web/client_address.py`). A run lasts from its first
position to the next run. A block holds up to a hundred runs as bytes, and is a member of a sorted
set, scored by the upper 53 bits of where it begins: a score is exact up to there. So no block may
begin in the midst of positions that have the same 53.
"""

import ipaddress
import struct
from array import array
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Family = int  # 4 or 6

FAMILIES: tuple[Family, ...] = (4, 6)
UNKNOWN = 0
END = 1 << 64
BELOW_SCORE = 11
# With what Redis adds, just below a size of memory that it can ask for.
RUNS_OF_A_BLOCK = 100
RUN = struct.Struct(">QH")


class Run(NamedTuple):
    first: int
    place: int


class Block(NamedTuple):
    score: int
    content: bytes


class Runs:
    """Of one family, in order. Place 0 is unknown, also between ranges."""

    def __init__(self) -> None:
        self._firsts = array("Q", [0])
        self._places = array("L", [UNKNOWN])
        self._end = 0

    def __len__(self) -> int:
        return len(self._firsts)

    def __iter__(self) -> Iterator[Run]:
        return map(Run, self._firsts, self._places)

    def add(self, first: int, end: int, place: int) -> None:
        """From one position to before another. Ranges come in order, and don't overlap."""
        if first > self._end:
            self._begin(self._end, UNKNOWN)
        self._begin(first, place)
        self._end = end

    def _begin(self, position: int, place: int) -> None:
        if self._firsts[-1] == position:
            self._places[-1] = place
        elif self._places[-1] != place:
            self._firsts.append(position)
            self._places.append(place)

    def finish(self) -> None:
        if self._end < END:
            self._begin(self._end, UNKNOWN)

    def renamed(self, place_of: Callable[[int], int]) -> Iterator[Run]:
        """With other numbers; neighbours that get the same one become one."""
        last = None
        for first, place in self:
            renamed = place_of(place)
            if renamed != last:
                yield Run(first, renamed)
                last = renamed


def family(address: Address) -> Family:
    return address.version


def position(address: Address) -> int:
    return int(address) << 32 if address.version == 4 else int(address) >> 64


def span(first: Address, last: Address) -> tuple[int, int]:
    """From which position a range lasts to before which. Empty if it is a part of an IPv6 network
    of 64 bits, but not its beginning.
    """
    if first.version == 4:
        return position(first), position(last) + (1 << 32)
    return -(-int(first) >> 64), (int(last) >> 64) + 1


def parsed(text: str) -> Address | None:
    """Of an address, or a network as `client_address` has it."""
    try:
        return ipaddress.ip_network(text).network_address
    except ValueError:
        return None


def packed(runs: Iterable[Run]) -> bytes:
    return b"".join(RUN.pack(*run) for run in runs)


def unpacked(content: bytes) -> Iterator[Run]:
    return map(Run._make, RUN.iter_unpack(content))


def blocks(runs: Iterable[Run]) -> Iterator[Block]:
    """Some hold more than a hundred: at most 2,048 positions have the same score."""
    held: list[Run] = []
    place = UNKNOWN  # where the run before is
    for score, group in groupby(runs, key=lambda run: run.first >> BELOW_SCORE):
        together = list(group)
        if held and len(held) + len(together) > RUNS_OF_A_BLOCK:
            yield _block(held)
            begin = score << BELOW_SCORE
            held = [] if together[0].first == begin else [Run(begin, place)]
        held += together
        place = together[-1].place
    if held:
        yield _block(held)


def _block(runs: list[Run]) -> Block:
    return Block(runs[0].first >> BELOW_SCORE, packed(runs))
