"""Shapes of plots: scales, gaps and labels."""

import re
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from insight.dashboard.drawing import APART, DIVISIONS, draw, path_of, rounded_up
from insight.dashboard.marks import Mark
from insight.dashboard.numbers import Value, duration, short
from insight.dashboard.plots import Definition, Line, Plot
from insight.dashboard.ranges import RANGES, Range
from insight.dashboard.reading import Pair

HOUR = RANGES[1]
NOW = 1_800_000_000
ROUND = re.compile(r"(1\.000|2\.000|2\.500|5\.000)e")


def plot(*lines: Sequence[Value], is_sum: bool = False, limit: float | None = None) -> Plot:
    definition = Definition("it", "It", "", "count", lambda _: (), is_sum=is_sum, limit=limit)
    shown = [Line(f"line {at}", Pair(list(it), [None] * 60)) for at, it in enumerate(lines)]
    return Plot(definition, shown, (), HOUR.window(NOW), "minute", "before")


@given(st.floats(0.001, 1e9))
def test_an_axis_ends_at_a_round_number_above_all_values(highest: float) -> None:
    top = rounded_up(highest, whole=False)
    assert highest <= top * (1 + 1e-9)
    assert top <= 10 * highest
    assert ROUND.match(f"{top / DIVISIONS:.3e}")


@given(st.integers(1, 10**9))
def test_counts_have_whole_numbers_beside_them(highest: int) -> None:
    top = rounded_up(highest, whole=True)
    assert highest <= top
    assert (top / DIVISIONS) % 1 == 0


def test_what_is_not_known_is_a_gap_and_a_single_value_a_dot() -> None:
    path = path_of([0, 4, None, 2, None], 4.0)
    assert path == "M0.0 100.0L250.0 0.0M750.0 50.0h0"


def test_the_step_that_runs_is_drawn_by_itself() -> None:
    counted = draw(plot([4.0] * 60, is_sum=True)).lines[0]
    assert counted.path.count("L") == 58
    assert counted.running.startswith("M983.1 ")
    assert draw(plot([4.0] * 60)).lines[0].running == ""


def test_labels_at_the_ends_of_lines_never_lie_on_each_other() -> None:
    drawing = draw(plot([1.0] * 60, [1.0] * 60, [0.0] * 60, [100.0] * 60))
    places = [float(it.y.rstrip("%")) for it in drawing.labels]
    assert drawing.labels[0].words == "line 3 100"
    assert places == sorted(places)
    assert all(below - above >= APART - 0.11 for above, below in pairwise(places))
    assert max(places) <= 100


def test_a_limit_is_within_the_plot_even_if_nothing_comes_near_it() -> None:
    assert draw(plot([3.0] * 60, limit=2_000.0)).limit_y == "0.0%"


def test_a_mark_stands_where_its_moment_is() -> None:
    window = HOUR.window(NOW)
    steps = window.steps
    marks = [Mark(it, "deploy", "") for it in (steps[0], steps[0] + 59 * 30, steps[-1] + 59)]
    assert [it.x for it in draw(plot([1.0] * 60), marks).marks] == ["0.0%", "50.0%", "100.0%"]


@pytest.mark.parametrize("shown", RANGES, ids=lambda it: it.key)
def test_a_range_ends_with_the_step_that_runs(shown: Range) -> None:
    window = shown.window(NOW)
    assert len(window.steps) == shown.points
    assert window.steps[-1] <= NOW < window.until
    assert window.since - window.before == window.until - window.since
    assert window.before % shown.precision.seconds == 0
    assert shown.step % shown.precision.seconds == 0
    held = shown.precision.seconds * shown.precision.kept
    assert window.until - window.before <= held, "the period before is kept too"


@pytest.mark.parametrize(
    ("ms", "words"),
    [
        *((0, "0 ms"), (4.21, "4.2 ms"), (162.4, "162 ms"), (999.6, "1 s"), (2_800, "2.8 s")),
        *((61_000, "61 s"), (180_000, "3 min"), (7_300_000, "2 h")),
    ],
)
def test_times_are_as_short_as_they_can_be(ms: float, words: str) -> None:
    assert duration(ms) == words


def test_an_axis_counts_in_thousands() -> None:
    assert [short(it, "count") for it in (0, 5, 900, 3_600, 2_000_000)] == [
        *("0", "5", "900", "3.6 k", "2 M"),
    ]
