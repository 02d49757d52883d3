"""How long pages took, over time: percentiles of each step of a plot."""

import time

import pytest

from insight.dashboard.ranges import RANGES, Range
from insight.precisions import DAY
from insight.recording.buffer import buffer
from insight.recording.sending import flush
from insight.sketch import ERROR, Sketch
from insight.structures import durations
from redistools.client import get_client
from redistools.scripts import Batch
from tests.redis_keys import keys_of_the_test

pytestmark = pytest.mark.usefixtures("measuring")
NOON = 1_800_014_400


def add(second: int, *times: float) -> None:
    sketch = Sketch()
    for ms in times:
        sketch.add(ms)
    batch = Batch(get_client())
    durations.add(batch, "page", durations.slot_of(second), sketch.buckets)
    batch.run()


@pytest.mark.parametrize("shown", RANGES, ids=lambda it: it.key)
def test_a_time_is_found_in_its_step_of_every_range(shown: Range) -> None:
    now = int(time.time())
    window = shown.window(now)
    add(now, 5.0, 200.0)
    add(window.since - 1, 40.0)
    [found] = durations.read(["page"], shown.step, window.before, window.until)
    assert len(found) == 2 * shown.points
    assert found[-1].percentile(99) == pytest.approx(200, rel=ERROR)
    assert found[shown.points - 1].percentile(50) == pytest.approx(40, rel=ERROR)
    assert sum(it.count for it in found) == 3


def test_the_times_of_all_pages_are_one_sketch() -> None:
    for ms in range(1, 101):
        buffer.timed("page", f"page {ms % 7}", ms / 1000)
    buffer.timed("sql", "COMMIT", 9.0)
    flush()
    window = RANGES[0].window(int(time.time()))
    [found] = durations.read(["page"], RANGES[0].step, window.since, window.until)
    together = Sketch()
    for it in found:
        together.merge(it)
    assert together.count == 100
    for percent in (50, 95, 99):
        assert together.percentile(percent) == pytest.approx(percent, rel=ERROR)


def test_every_step_ends_by_itself_when_no_plot_shows_it_any_more() -> None:
    now = int(time.time())
    add(now, 5.0)
    client = get_client()
    left = {int(it.split(":")[-2]): client.ttl(it) for it in keys_of_the_test("durations*")}
    assert sorted(left) == sorted(durations.STEPS)
    for shown in RANGES:
        window = shown.window(now)
        assert left[shown.step] > window.until - window.before
    assert left[durations.STEPS[-1]] < 4 * 365 * DAY
