"""Periodic tasks: once in each period, however many workers there are."""

from datetime import UTC, datetime, timedelta

import pytest
from django_tasks.exceptions import InvalidTaskError

from redistools import keys
from redistools.client import get_client
from taskqueue import periodic
from taskqueue.backend import get_backend
from taskqueue.periodic import Timetable
from taskqueue.store import Queue
from tests.races import in_threads
from tests.taskqueue import tasks
from tests.taskqueue.observe import drain, size

NOON = datetime(2030, 1, 1, 12, 0, tzinfo=UTC)
NAME = tasks.tick.module_path


@pytest.fixture(autouse=True)
def hourly(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = periodic.PeriodicTask(tasks.tick, timedelta(hours=1))
    monkeypatch.setattr(periodic, "registry", {NAME: entry})


def ask(now: datetime) -> float:
    """As a worker that has just started would."""
    return Timetable([Queue("default", now=now)], backend=get_backend("default")).queue_due()


def test_a_periodic_task_is_queued_once_in_a_period() -> None:
    for minutes in (0, 1, 59):
        ask(NOON + timedelta(minutes=minutes))
    assert drain(now=NOON) == 1
    ask(NOON + timedelta(minutes=60))
    assert drain(now=NOON + timedelta(hours=1)) == 1


def test_the_wait_is_the_rest_of_the_period() -> None:
    assert 599 < ask(NOON + timedelta(minutes=50)) <= 600


def test_a_timetable_asks_again_only_when_the_period_is_over() -> None:
    timetable = Timetable([Queue("default", now=NOON)], backend=get_backend("default"))
    timetable.queue_due()
    get_client().delete(keys.queue("default", "periods"))  # had it asked, it would queue again
    timetable.queue_due()
    assert size("ready") == 1


def test_many_workers_at_once_queue_one() -> None:
    in_threads(16, ask, NOON)
    assert size("ready") == 1


def test_missed_periods_are_made_up_for_once() -> None:
    ask(NOON)
    drain(now=NOON)
    ask(NOON + timedelta(days=3))
    assert size("ready") == 1


def test_nothing_is_added_while_the_last_one_still_waits() -> None:
    ask(NOON)
    ask(NOON + timedelta(hours=1))
    assert size("ready") == 1


def test_a_clock_that_steps_back_queues_nothing_twice() -> None:
    ask(NOON)
    drain(now=NOON)
    ask(NOON - timedelta(hours=5))
    assert size("ready") == 0


def test_queues_that_a_worker_does_not_serve_are_left_to_others() -> None:
    assert Timetable(
        [Queue("other", now=NOON)], backend=get_backend("default")
    ).queue_due() == float("inf")
    assert size("ready") == 0


def test_a_period_has_a_second_at_least() -> None:
    with pytest.raises(InvalidTaskError, match="every must be"):
        periodic.periodic(every=timedelta(milliseconds=10))


def test_the_decorator_registers_the_task_and_returns_it() -> None:
    assert periodic.periodic(every=timedelta(days=1))(tasks.tick) is tasks.tick
    assert periodic.registry[NAME].every == timedelta(days=1)
