"""Shapes of plots, for SVG: percentages, or places in a box of 1,000 by 100 that is stretched. All
words are HTML, or stand outside of what is stretched.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import floor, log10
from typing import NamedTuple

from .marks import Mark
from .numbers import Unit, Value, short, shown
from .plots import Plot, Words

WIDTH, HEIGHT = 1000, 100
DIVISIONS = 4
X_LABELS = 4
# Classes of lines: each has a dash of its own.
STYLES = ("now", "l2", "l3", "l4")
# So far apart are labels, or they could not be read (percent of the height).
APART = 9.0
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


class Label(NamedTuple):
    words: str
    y: str


class Drawn(NamedTuple):
    words: Words
    style: str
    path: str
    running: str  # the step that is not over yet


class MarkLine(NamedTuple):
    x: str
    kind: str


@dataclass(frozen=True)
class Drawing:
    y_labels: list[str]
    x_labels: list[int]
    lines: list[Drawn]
    before: str
    labels: list[Label]
    limit_y: str
    marks: list[MarkLine]


def draw(plot: Plot, marks: Sequence[Mark] = ()) -> Drawing:
    top = top_of(plot)
    return Drawing(
        y_labels=_y_labels(top, plot.of.unit),
        x_labels=_x_labels(plot.window.steps),
        lines=_lines(plot, top),
        before=path_of(plot.lines[0].values.before, top),
        labels=_labels(plot, top),
        limit_y=_percent(_y(plot.of.limit, top)) if plot.of.limit is not None else "",
        marks=[MarkLine(_percent(place(it.second, plot)), it.kind) for it in marks],
    )


def spark(values: list[Value], top: float) -> str:
    return path_of(values, top or 1.0)


def top_of(plot: Plot) -> float:
    """Of the axis: above every value and the limit, and a round number."""
    values = [*plot.lines[0].values.before, *(it for line in plot.lines for it in line.values.now)]
    highest = max((it for it in values if it is not None), default=0.0)
    if plot.of.unit == "percent":
        return 100.0
    return rounded_up(max(highest, plot.of.limit or 0.0), whole=plot.of.unit != "ms")


def rounded_up(value: float, *, whole: bool) -> float:
    """Four divisions of 1, 2, 2.5 or 5, times a power of ten."""
    if value <= 0:
        return float(DIVISIONS)
    power = 10.0 ** floor(log10(value / DIVISIONS))
    steps = [power * it for it in STEPS if not whole or (power * it) % 1 == 0]
    wanted = value / DIVISIONS
    return DIVISIONS * next((it for it in steps if it >= wanted - 1e-9), 1.0)


def place(second: int, plot: Plot) -> float:
    """Where a moment stands, in percent of the width. Lines go from the first step to the last."""
    steps = plot.window.steps
    return min(100.0, max(0.0, 100 * (second - steps[0]) / (steps[-1] - steps[0])))


def path_of(values: Sequence[Value], top: float, *, first: int = 0, points: int = 0) -> str:
    """A piece for each run of known values; one alone is a dot."""
    last = (points or len(values)) - 1
    pieces = []
    known = [(at, value) for at, value in enumerate(values, first) if value is not None]
    for _, run in groupby(enumerate(known), key=lambda it: it[1][0] - it[0]):
        places = [f"{WIDTH * at / last:.1f} {_y(value, top):.1f}" for _, (at, value) in run]
        pieces.append("M" + "L".join(places) + ("h0" if len(places) == 1 else ""))
    return "".join(pieces)


def _lines(plot: Plot, top: float) -> list[Drawn]:
    """Counts of a step that runs would look like a fall: that end is drawn thinly."""
    drawn = []
    for line, style in zip(plot.lines, STYLES, strict=False):
        values, points = line.values.now, len(line.values.now)
        over = values[:-1] if plot.of.is_sum else values
        running = values[-2:] if plot.of.is_sum else []
        path = path_of(over, top, points=points)
        drawn.append(
            Drawn(
                *(line.words, style, path),
                path_of(running, top, first=points - 2, points=points),
            )
        )
    return drawn


def _labels(plot: Plot, top: float) -> list[Label]:
    """At the end of each line, the highest first; moved apart."""
    ends = []
    for line in plot.lines:
        over = line.values.now[:-1] if plot.of.is_sum else line.values.now
        value = next((it for it in reversed(over) if it is not None), None)
        if value is not None:
            name = f"{line.words} " if len(plot.lines) > 1 else ""
            ends.append((_y(value, top), name + shown(value, plot.of.unit)))
    return [Label(words, _percent(y)) for y, words in _apart(sorted(ends))]


def _apart(ends: list[tuple[float, str]]) -> list[tuple[float, str]]:
    """From the lowest up, so that none falls below the axis."""
    placed: list[tuple[float, str]] = []
    for y, words in reversed(ends):
        lowest = placed[-1][0] - APART if placed else float(HEIGHT)
        placed.append((min(y, lowest), words))
    return placed[::-1]


def _y_labels(top: float, unit: Unit) -> list[str]:
    return [short(top * it / DIVISIONS, unit) for it in range(DIVISIONS, -1, -1)]


def _x_labels(steps: range) -> list[int]:
    last = len(steps) - 1
    return [steps[round(last * it / X_LABELS)] for it in range(X_LABELS + 1)]


def _y(value: float, top: float) -> float:
    return HEIGHT - HEIGHT * min(value, top) / top


def _percent(value: float) -> str:
    return f"{value:.1f}%"
