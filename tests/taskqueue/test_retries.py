"""A task that raises is tried again, then counts as failed; poison fails at once."""

from datetime import timedelta
from typing import Any

import pytest
from django_tasks import TaskResultStatus
from django_tasks.exceptions import TaskResultDoesNotExist
from pytest_django import Settings

from taskqueue import failed_tasks
from taskqueue.backend import get_backend
from taskqueue.store import Message
from taskqueue.working import runner
from taskqueue.working.runner import delay_before_retry
from tests.taskqueue import tasks
from tests.taskqueue.observe import drain, later, size


def test_a_task_that_raised_waits_and_is_tried_again() -> None:
    result = tasks.fail.enqueue("out of luck")
    drain()
    result.refresh()
    assert (result.status, result.attempts) == (TaskResultStatus.READY, 1)
    assert (size("delayed"), size("failed")) == (1, 0)
    drain(now=later(seconds=4))
    assert size("delayed") == 1
    drain(now=later(seconds=11))
    result.refresh()
    assert result.attempts == 2


def test_an_outage_of_a_store_does_not_count_as_a_failure() -> None:
    result = tasks.need_store.enqueue("outage")
    for hour in range(5):  # more often than the task may fail
        drain(now=later(hours=hour))
    result.refresh()
    assert (result.status, result.attempts) == (TaskResultStatus.READY, 5)
    tasks.note.call("outage", "the store is back")
    drain(now=later(hours=6))
    result.refresh()
    assert result.status == TaskResultStatus.SUCCESSFUL


def test_an_outage_without_an_end_makes_a_task_fail(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(runner, "MOST_ATTEMPTS_IN_OUTAGES", 3)
    tasks.need_store.enqueue("outage")
    for hour in range(6):
        drain(now=later(hours=hour))
    assert size("failed") == 1


def test_after_its_last_attempt_a_task_is_failed_and_keeps_every_traceback() -> None:
    result = tasks.fail.enqueue("out of luck")
    for hour in range(4):
        drain(now=later(hours=hour))
    result.refresh()
    assert (result.status, result.attempts) == (TaskResultStatus.FAILED, 3)
    assert [error.exception_class for error in result.errors] == [ValueError] * 3
    assert "out of luck" in result.errors[-1].traceback
    assert "raise ValueError(message)" in result.errors[-1].traceback
    assert (size("failed"), size("ready"), size("delayed"), size("leases")) == (1, 0, 0, 0)


def test_a_task_knows_which_attempt_it_is() -> None:
    result = tasks.fail_until_attempt.enqueue(3)
    for hour in range(3):
        drain(now=later(hours=hour))
    result.refresh()
    assert result.return_value == 3
    assert len(result.errors) == 2
    assert result.started_at != result.last_attempted_at


@pytest.mark.parametrize("task", [tasks.leave, tasks.fail_once_and_for_all])
def test_a_task_with_one_attempt_fails_at_once_whatever_it_raises(task: Any) -> None:
    task.enqueue()
    assert drain() == 1
    assert size("failed") == 1


def test_only_the_newest_failed_tasks_are_kept(settings: Settings) -> None:
    options = {"MAX_FAILED": 2}
    settings.TASKS = {"default": {**settings.TASKS["default"], "OPTIONS": options}}
    results = []
    for _ in range(4):
        results.append(tasks.fail_once_and_for_all.enqueue())
        drain()
    kept = [task.id for task in failed_tasks.newest("default", start=0, limit=10)]
    assert kept == [results[3].id, results[2].id]
    with pytest.raises(TaskResultDoesNotExist):
        results[0].refresh()


def test_a_value_that_json_does_not_know_is_a_failure() -> None:
    result = tasks.return_something_unreadable.enqueue()
    drain()
    result.refresh()
    assert result.errors[0].exception_class is TypeError


@pytest.mark.parametrize(
    "body",
    [
        "not json",
        "[]",
        '{"task": "tests.taskqueue.tasks.gone", "args": [], "kwargs": {}, "queue": "default", '
        '"backend": "default", "priority": 0, "enqueued_at": 0}',
        '{"task": "tests.taskqueue.tasks.marks", "args": [], "kwargs": {}, "queue": "default", '
        '"backend": "default", "priority": 0, "enqueued_at": 0}',
    ],
)
def test_poison_fails_at_once(body: str) -> None:
    get_backend("default").hand_over([Message("poison", "default", body)])
    drain()
    assert (size("failed"), size("ready"), size("delayed"), size("leases")) == (1, 0, 0, 0)


def test_poison_does_not_stop_the_tasks_behind_it() -> None:
    get_backend("default").hand_over([Message("poison", "default", "not json")])
    result = tasks.add.enqueue(1, 2)
    drain()
    result.refresh()
    assert result.return_value == 3


def test_arguments_that_the_function_does_not_take_fail_like_any_other_error() -> None:
    result = tasks.add.enqueue(1)  # type: ignore[call-arg]  # the point of it
    drain()
    result.refresh()
    assert result.errors[0].exception_class is TypeError


def test_the_wait_doubles_with_jitter_up_to_an_hour() -> None:
    base = timedelta(seconds=10)
    for failures, longest in ((1, 10), (2, 20), (3, 40), (50, 3600)):
        waits = {delay_before_retry(failures, base) for _ in range(200)}
        assert longest / 2 <= min(waits) < longest * 0.6
        assert longest * 0.9 < max(waits) <= longest
