"""Lists as they lie in Redis: how wide the ids are, the level of the floor, the ids, and that of
the floor. Three bytes for each id on a site of a million people.
"""

from collections.abc import Iterable, Sequence
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
    """Somebody is tied to the one before if both are at a level that is no exact count: which of
    them has more, the list does not know.
    """

    floor: Rank
    ids: list[int]
    ties: list[int]  # for each id; the last says whether others below the floor may be tied to it


def packed(floor: Rank, ranks: Sequence[Rank]) -> str:
    pairs = pairwise([Rank(-1, 0), *ranks, floor])
    numbers = [it.id << 1 | _are_tied(before, it) for before, it in pairs]
    width = -(-max(numbers).bit_length() // _BITS)
    head = chr(width) + _text(floor.level, _LEVEL)
    return head + "".join(_text(it, width) for it in numbers)


def unpacked(text: str) -> Listed | None:
    """None if it is a mark, or nothing that we wrote."""
    signs = text.encode()
    width = signs[0] if signs else 0
    if not 0 < width <= _WIDEST or len(signs) <= _HEADER or (len(signs) - _HEADER) % width:
        return None
    numbers: list[int] = list(signs[_HEADER::width])
    for place in range(_HEADER + 1, _HEADER + width):
        numbers = [
            it << _BITS | sign for it, sign in zip(numbers, signs[place::width], strict=False)
        ]
    *ids, floor = [it >> 1 for it in numbers]
    return Listed(Rank(signs[1] << _BITS | signs[2], floor), ids, [it & 1 for it in numbers])


def runs(ids: Iterable[int], ties: Iterable[int]) -> list[list[int]]:
    """Those who are tied to each other, together."""
    found: list[list[int]] = []
    for id_, is_tied in zip(ids, ties, strict=False):
        if is_tied:
            found[-1].append(id_)
        else:
            found.append([id_])
    return found


def _are_tied(first: Rank, second: Rank) -> bool:
    return first.level == second.level and not is_exact(second.level)


def _text(number: int, length: int) -> str:
    return "".join(chr(number >> _BITS * place & _ALL) for place in reversed(range(length)))
