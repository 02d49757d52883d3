"""Lists as they lie in Redis: how wide the ids are, the level of the floor, the ids, and that of
the floor. Three bytes for each id on a site of a million people.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from .ranking import Rank, is_exact

# Seven bits in each byte, so that they are text.
_BITS, _ALL = 7, 127
_LEVEL = 2
_HEADER = 1 + _LEVEL
# A mark is made of digits: no id is as wide.
_WIDEST = 9


class Listed(NamedTuple):
    floor: Rank
    ids: list[int]


def packed(floor: Rank, ranks: Sequence[Rank]) -> str:
    pairs = pairwise([Rank(-1, 0), *ranks, floor])
    numbers = [it.id << 1 | _are_tied(before, it) for before, it in pairs]
    width = -(-max(numbers).bit_length() // _BITS)
    head = chr(width) + _text(floor.level, _LEVEL)
    return head + "".join(_text(it, width) for it in numbers)


def is_list(text: str) -> bool:
    """False for a mark, or anything that we did not write."""
    width, size = ord(text[0]) if text else 0, len(text) - _HEADER
    return 0 < width <= _WIDEST and size > 0 and size % width == 0 and text.isascii()


def unpacked(text: str) -> Listed | None:
    """None if it is no list."""
    if not is_list(text):
        return None
    *ids, floor = [it >> 1 for it in _numbers(text)]
    return Listed(Rank(ord(text[1]) << _BITS | ord(text[2]), floor), ids)


class Runs:
    """The ids of a list in order, read no further than its reader goes: a keystroke needs a few of
    fifty.

    Neighbours at one level are a run, unless it is an exact count: the list does not know who of
    them has more. The last run is left out if some below the floor may belong to it.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __iter__(self) -> Iterator[list[int]]:
        numbers = _numbers(self._text)
        run = [next(numbers) >> 1]
        for number in numbers:
            if number & 1:
                run.append(number >> 1)
            else:
                yield run
                run = [number >> 1]


def _numbers(text: str) -> Iterator[int]:
    """Each id, and that of the floor, with a bit that says whether it is tied to the one before."""
    signs = text.encode()
    numbers: Iterator[int] = iter(signs[_HEADER :: signs[0]])
    for place in range(_HEADER + 1, _HEADER + signs[0]):
        numbers = map(_joined, numbers, signs[place :: signs[0]])
    return numbers


def _joined(high: int, low: int) -> int:
    return high << _BITS | low


def _are_tied(first: Rank, second: Rank) -> bool:
    return first.level == second.level and not is_exact(second.level)


def _text(number: int, length: int) -> str:
    return "".join(chr(number >> _BITS * place & _ALL) for place in reversed(range(length)))
