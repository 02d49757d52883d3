import time
from statistics import fmean, pstdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from insight import selectors
from insight.recording.buffer import buffer
from insight.recording.sending import flush
from insight.sketch import ERROR, Sketch
from insight.structures import timings

MILLISECONDS = st.lists(st.floats(min_value=0.001, max_value=100_000), min_size=1, max_size=200)


def sketch_of(times: list[float]) -> Sketch:
    sketch = Sketch()
    for ms in times:
        sketch.add(ms)
    return sketch


@given(MILLISECONDS, st.sampled_from([1, 25, 50, 90, 95, 99, 100]))
def test_a_percentile_is_off_by_two_percent_at_most(times: list[float], percent: int) -> None:
    exact = sorted(times)[max(0, -(-percent * len(times) // 100) - 1)]
    assert sketch_of(times).percentile(percent) == pytest.approx(exact, rel=ERROR + 1e-9)


@given(MILLISECONDS, MILLISECONDS)
def test_sketches_of_two_processes_are_that_of_all(some: list[float], others: list[float]) -> None:
    merged, whole = sketch_of(some), sketch_of(some + others)
    merged.merge(sketch_of(others))
    assert merged.buckets == whole.buckets
    assert (merged.count, merged.least, merged.most) == (whole.count, whole.least, whole.most)
    assert merged.total == pytest.approx(whole.total)


def test_what_was_sent_twice_is_read_as_one(measuring: None) -> None:
    times = [0.004 * number**2 for number in range(1, 60)]
    for number, ms in enumerate(times):
        buffer.timed("page", "home", ms / 1000)
        if number % 20 == 0:
            flush()
    flush()
    (found,) = selectors.timings("page")
    assert (found.name, found.count) == ("home", len(times))
    assert found.mean == pytest.approx(fmean(times), rel=1e-4)
    assert found.deviation == pytest.approx(pstdev(times), rel=1e-3)
    assert found.least == pytest.approx(min(times), rel=1e-3)
    assert found.most == pytest.approx(max(times), rel=1e-3)
    assert found.p50 == pytest.approx(sorted(times)[29], rel=ERROR)


def test_what_took_the_most_time_of_all_comes_first(measuring: None) -> None:
    for _ in range(10):
        buffer.timed("sql", "SELECT users_user", 0.001)
    buffer.timed("sql", "COMMIT", 0.005)
    flush()
    assert [it.name for it in selectors.timings("sql")] == ["SELECT users_user", "COMMIT"]


def test_the_slowest_come_with_name_and_second_alone(measuring: None) -> None:
    before = int(time.time())
    for number in range(timings.SLOWEST + 5):
        buffer.timed("page", f"page {number}", 0.001 * (number + 1))
    flush()
    found = selectors.slowest("page")
    assert len(found) == timings.SLOWEST
    assert (found[0].name, found[-1].name) == ("page 24", "page 5")
    assert found[0].ms == pytest.approx(25)
    assert before <= found[0].second <= time.time()
