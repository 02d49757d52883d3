"""Counters and gauges: exact in every precision, bounded, and trimmed by nobody."""

import time

import pytest

from insight import selectors
from insight.figures import FIGURES, UnknownFigure, series_name
from insight.precisions import PRECISIONS, SAMPLES_OF_A_KEY, Precision
from insight.recording.buffer import MOST_HELD, Buffer, buffer
from insight.recording.sending import flush
from insight.structures import series
from redistools.client import get_client
from redistools.scripts import Batch
from tests.insight.reading import counted
from tests.races import in_threads
from tests.redis_keys import keys_of_the_test

NOON = 1_800_014_400  # a multiple of five hours
NAMES = [it.name for it in PRECISIONS]


def add(name: str, second: int, value: int) -> None:
    batch = Batch(get_client())
    series.add(batch, name, second, value)
    batch.run()


def raise_to(name: str, second: int, value: int) -> None:
    batch = Batch(get_client())
    series.raise_to(batch, name, second, value)
    batch.run()


@pytest.mark.parametrize("precision", NAMES)
def test_what_is_counted_is_found_in_every_precision(precision: str) -> None:
    now = int(time.time())
    for second, value in ((now - 3, 1), (now - 2, 10), (now, 100)):
        add("posts", second, value)
    assert selectors.total("posts", precision, now - 2 * 86_400, now + 1) == 111


def test_samples_are_as_long_as_their_precision() -> None:
    now = int(time.time()) // 60 * 60
    add("posts", now - 60, 3)
    add("posts", now - 1, 4)
    add("posts", now, 5)
    found = selectors.series("posts", "1 min", now - 120, now + 60)
    assert found == [(now - 120, 0), (now - 60, 7), (now, 5)]


def test_many_processes_count_exactly(measuring: None) -> None:
    def count() -> None:
        for _ in range(50):
            buffer.count("likes")
        flush()

    in_threads(8, count)
    assert counted("likes") == 400


def test_a_gauge_keeps_the_highest_value_and_knows_what_was_not_sampled() -> None:
    now = int(time.time()) // 5 * 5
    for value in (3, 9, 0):
        raise_to("stream_clients", now, value)
    raise_to("stream_clients", now - 10, 0)
    found = selectors.series("stream_clients", "5 s", now - 10, now + 5)
    assert found == [(now - 10, 0), (now - 5, None), (now, 9)]


def test_a_range_comes_with_the_period_before() -> None:
    now = int(time.time()) // 60 * 60
    add("posts", now - 300, 2)
    add("posts", now - 60, 5)
    found = selectors.with_period_before("posts", "1 min", now - 180, now)
    assert [it.value for it in found.now] == [0, 0, 5]
    assert [it.value for it in found.before] == [0, 2, 0]


@pytest.mark.parametrize(
    ("name", "label"), [("post", ""), ("requests", ""), ("requests", "9xx"), ("posts", "home")]
)
def test_a_name_that_is_not_declared_is_an_error(name: str, label: str) -> None:
    with pytest.raises(UnknownFigure, match=r"takes|is not measured"):
        buffer.count(name, label)
    with pytest.raises(UnknownFigure):
        selectors.series(name, "1 min", NOON, NOON + 60, label=label)


def test_a_precision_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"one of 1 s, 5 s, .* got '2 s'"):
        selectors.series("posts", "2 s", NOON, NOON + 60)


def test_every_key_ends_by_itself_once_its_samples_are_old() -> None:
    now = int(time.time())
    add("posts", now, 1)
    raise_to("queue_depth fan_out", now, 1)
    found = keys_of_the_test()
    assert len(found) == 2 * len(PRECISIONS)
    left = sorted(int(get_client().ttl(it)) for it in found)
    for precision, ttl in zip(PRECISIONS, left[::2], strict=True):
        assert precision.span <= ttl <= precision.span + precision.key_seconds


@pytest.mark.parametrize("precision", PRECISIONS, ids=NAMES)
def test_a_sample_is_kept_for_as_long_as_the_table_says(precision: Precision) -> None:
    number, place = precision.place(NOON)
    last = (number + 1) * precision.key_seconds
    assert precision.end_of_key(number) - last == precision.span
    assert 0 <= place < SAMPLES_OF_A_KEY, "more would not be compact in Redis"


def test_redis_keeps_a_full_key_compact() -> None:
    precision = PRECISIONS[0]
    begin = int(time.time()) // precision.key_seconds * precision.key_seconds
    batch = Batch(get_client())
    for second in range(begin, begin + precision.key_seconds):
        series.add(batch, "posts", second, 1_000_000)
    batch.run()
    for name in keys_of_the_test():
        assert get_client().object("encoding", name) in ("ziplist", "listpack")


def test_what_cannot_be_sent_for_long_is_bounded_and_counted() -> None:
    held = Buffer()
    held.is_on = True
    for number in range(MOST_HELD + 7):
        held.count("pages", f"page {number}")
    held.count("pages", "page 0", by=5)
    taken = held.take()
    counts = {name: by for (name, _), by in taken.counts.items()}
    assert len(counts) == MOST_HELD + 1
    assert (counts["pages page 0"], counts["dropped"]) == (6, 7)


def test_a_process_that_was_not_told_to_measure_holds_nothing() -> None:
    held = Buffer()
    held.count("posts")
    held.peak("stream_clients", 1)
    held.level("stream_clients", 1)
    held.timed("page", "home", 0.1)
    assert held.take().size == 0


def test_every_figure_says_what_it_is() -> None:
    for name, figure in FIGURES.items():
        assert figure.about
        assert series_name(name, (figure.labels or ("any",))[0] if figure.labels != () else "")
