"""Finds the boxes around a point without trying each."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

from ..asked.matching import Box
from ..event import Point

Owner = TypeVar("Owner")
Cell = tuple[int, int, int]

WORLD = 360.0
# At this level a cell is about forty metres wide; smaller boxes share it.
DEEPEST = 20


class BoxIndex(Generic[Owner]):
    """Grids of ever smaller cells: a box lies in the grid whose cells are about its own size.

    So a box covers at most nine cells, and a point lies in one cell of each grid in use. Only boxes
    of about the right place and size are tried.
    """

    def __init__(self) -> None:
        self._cells: defaultdict[Cell, dict[tuple[Box, Owner], None]] = defaultdict(dict)
        self._levels: Counter[int] = Counter()

    def add(self, box: Box, owner: Owner) -> None:
        for cell in _cells_of(box):
            self._cells[cell][box, owner] = None
            self._levels[cell[0]] += 1

    def remove(self, box: Box, owner: Owner) -> None:
        for cell in _cells_of(box):
            if self._cells[cell].pop((box, owner), self) is None:
                self._levels[cell[0]] -= 1
            if not self._cells[cell]:
                del self._cells[cell]
        self._levels += Counter()  # drops the levels that count zero

    def owners_at(self, point: Point) -> Iterator[Owner]:
        for level in self._levels:
            for box, owner in self._cells.get(_cell_at(level, point), ()):
                if box.holds(point):
                    yield owner


def _cells_of(box: Box) -> Iterable[Cell]:
    size = max(box.east - box.west, box.north - box.south)
    level = min(DEEPEST, int(math.log2(WORLD / size))) if size else DEEPEST
    _, left, bottom = _cell_at(level, Point(box.west, box.south))
    _, right, top = _cell_at(level, Point(box.east, box.north))
    return [
        (level, column, row) for column in range(left, right + 1) for row in range(bottom, top + 1)
    ]


def _cell_at(level: int, point: Point) -> Cell:
    size = WORLD / 2**level
    return level, math.floor(point.longitude / size), math.floor(point.latitude / size)
