"""Many items, some at a time: one command, script or query must not keep the others waiting."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Lists of `size` items, the last one shorter. Reads ahead no further than one list."""
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some
