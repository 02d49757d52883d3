"""The parts of the page that change while it is open, by the id of the element that they fill."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from .drawing import draw
from .marks import Mark, marks_in
from .memory import Memory, memory
from .plots import Plot, plots_of
from .ranges import RANGES, Range
from .reading import Readings, read
from .tiles import tiles_of
from .troubles import Trouble, troubles_in


@dataclass(frozen=True)
class Look:
    """All figures at one moment."""

    readings: Readings
    troubles: Sequence[Trouble]
    plots: Sequence[Plot]
    marks: Sequence[Mark]
    memory: Memory

    @property
    def shown(self) -> Range:
        return self.readings.shown


def look(shown: Range) -> Look:
    """Five round trips and two queries."""
    readings = read(shown)
    last = readings if shown == RANGES[0] else read(RANGES[0])
    marks = marks_in(readings.window)
    return Look(readings, troubles_in(last), plots_of(readings), marks, memory(readings))


def parts_of(it: Look) -> dict[str, SafeString]:
    tiles = tiles_of(it.readings, it.troubles)
    return {
        "troubles": _html("troubles", {"troubles": it.troubles}),
        "tiles": _html("tiles", {"tiles": tiles}),
        **{frame_id(plot): _frame(plot, it.marks) for plot in it.plots},
        "meters": _html("meters", {"memory": it.memory}),
    }


def frame_id(plot: Plot) -> str:
    return f"frame-{plot.of.key}"


def _frame(plot: Plot, marks: Sequence[Mark]) -> SafeString:
    return _html("frame", {"plot": plot, "drawing": draw(plot, marks)})


def _html(name: str, context: dict[str, object]) -> SafeString:
    """Without what surrounds a part: its template ends with a line."""
    return SafeString(render_to_string(f"insight/_{name}.html", context).strip())
