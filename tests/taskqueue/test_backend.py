"""What django-tasks documents, and what this backend adds."""

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django_tasks import TaskResult, TaskResultStatus, default_task_backend, task_backends
from django_tasks import task as plain_task
from django_tasks.exceptions import InvalidTaskError, TaskResultDoesNotExist, TaskResultMismatch
from django_tasks.signals import task_enqueued, task_finished, task_started
from pytest_django import Settings
from redis.exceptions import ConnectionError as RedisConnectionError

from taskqueue import start
from taskqueue.backend import get_backend
from taskqueue.exceptions import QueueUnavailable
from tests.taskqueue import tasks
from tests.taskqueue.observe import drain, later, marked


def test_a_queued_task_waits_until_a_worker_runs_it() -> None:
    result = tasks.add.enqueue(2, 3)
    assert (result.status, result.attempts) == (TaskResultStatus.READY, 0)
    assert drain() == 1
    result.refresh()
    assert result.status == TaskResultStatus.SUCCESSFUL
    assert result.return_value == 5


def test_a_result_tells_the_story_of_its_task() -> None:
    queued = tasks.add.enqueue(2, b=3)
    drain()
    result = tasks.add.get_result(queued.id)
    assert (result.args, result.kwargs, result.backend) == ([2], {"b": 3}, "default")
    assert (result.attempts, result.worker_ids, result.errors) == (1, ["drain"], [])
    assert result.enqueued_at
    assert result.started_at
    assert result.finished_at
    assert result.enqueued_at <= result.started_at <= result.finished_at
    assert result.last_attempted_at == result.started_at


def test_a_result_is_found_by_the_async_api_too() -> None:
    async def story() -> TaskResult[int]:
        return await tasks.add.aget_result((await tasks.add.aenqueue(1, 1)).id)

    assert asyncio.run(story()).status == TaskResultStatus.READY


def test_an_unknown_result_does_not_exist() -> None:
    with pytest.raises(TaskResultDoesNotExist):
        default_task_backend.get_result("nothing")


def test_the_result_of_another_task_does_not_match() -> None:
    with pytest.raises(TaskResultMismatch):
        tasks.note.get_result(tasks.add.enqueue(1, 1).id)


def test_an_async_task_runs() -> None:
    result = tasks.note_async.enqueue("async", "hello")
    drain()
    assert marked("async") == ["hello"]
    value: object = tasks.note_async.get_result(result.id).return_value
    assert value == "hello"


def test_a_higher_priority_goes_first_and_equals_go_in_order() -> None:
    for priority, value in ((0, "b"), (-100, "d"), (100, "a"), (0, "c")):
        tasks.note.using(priority=priority).enqueue("order", value)
    drain()
    assert marked("order") == ["a", "b", "c", "d"]


def test_a_delayed_task_waits_for_its_time() -> None:
    due = later(hours=1)
    tasks.note.using(run_after=due).enqueue("delayed", "x")
    drain(now=due - timedelta(milliseconds=1))
    assert marked("delayed") == []
    drain(now=due + timedelta(milliseconds=1))
    assert marked("delayed") == ["x"]


def test_a_task_due_in_the_past_runs_now() -> None:
    tasks.note.using(run_after=later(hours=-1)).enqueue("past", "x")
    drain()
    assert marked("past") == ["x"]


@pytest.mark.parametrize(
    "options",
    [
        {"priority": 101},
        {"priority": -101},
        {"queue_name": "elsewhere"},
        {"run_after": datetime(2030, 1, 1)},  # noqa: DTZ001 - the point of it
        {"unique_key": "x" * 201},
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidTaskError):
        tasks.add.using(**options)


@pytest.mark.parametrize("options", [{"max_attempts": 0}, {"backoff": timedelta(seconds=-1)}])
def test_retry_options_out_of_range_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidTaskError):
        plain_task(**options)(tasks.add.func)


def test_only_functions_of_a_module_can_be_tasks() -> None:
    with pytest.raises(InvalidTaskError):
        plain_task(lambda: None)


def test_arguments_that_json_does_not_know_are_refused() -> None:
    with pytest.raises(TypeError):
        tasks.note.enqueue("x", object())  # type: ignore[arg-type]  # the point of it
    assert drain() == 0


def test_djangos_own_decorator_takes_the_options_too() -> None:
    made: Any = plain_task(max_attempts=9)(tasks.add.func)
    assert made.max_attempts == 9


def test_signals_tell_of_each_step() -> None:
    heard: list[tuple[str, TaskResultStatus]] = []

    def hear(name: str) -> Any:
        return lambda sender, task_result, **_: heard.append((name, task_result.status))

    receivers = [
        (signal, hear(name))
        for signal, name in (
            (task_enqueued, "enqueued"),
            (task_started, "started"),
            (task_finished, "finished"),
        )
    ]
    for signal, receiver in receivers:
        signal.connect(receiver)
    try:
        tasks.add.enqueue(1, 2)
        drain()
    finally:
        for signal, receiver in receivers:
            signal.disconnect(receiver)
    assert heard == [
        ("enqueued", TaskResultStatus.READY),
        ("started", TaskResultStatus.RUNNING),
        ("finished", TaskResultStatus.SUCCESSFUL),
    ]


def test_many_tasks_are_queued_together_in_order() -> None:
    calls = [start.call(tasks.note, "many", str(n)) for n in range(20)]
    results = get_backend("default").enqueue_many(calls)
    assert len({result.id for result in results}) == 20
    assert drain() == 20
    assert marked("many") == [str(n) for n in range(20)]


def test_delivering_a_message_twice_queues_it_once_even_after_it_ran() -> None:
    backend = get_backend("default")
    message, _ = backend.prepare(start.call(tasks.note, "twice", "x"))
    assert backend.hand_over([message]) == backend.hand_over([message]) == [message.id]
    drain()
    backend.hand_over([message])
    drain()
    assert marked("twice") == ["x"]


def test_a_second_unique_task_is_dropped_while_the_first_waits() -> None:
    unique = tasks.note.using(unique_key="one")
    first = unique.enqueue("unique", "first")
    second = unique.enqueue("unique", "second")
    assert second.id == first.id
    drain()
    unique.enqueue("unique", "third")
    drain()
    assert marked("unique") == ["first", "third"]


def test_a_unique_task_that_waits_for_its_retry_holds_its_key_again() -> None:
    unique = tasks.fail.using(unique_key="one")
    first = unique.enqueue("x")
    drain()
    assert unique.enqueue("y").id == first.id


def test_an_unreachable_redis_is_a_clear_error(settings: Settings) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    with pytest.raises(QueueUnavailable, match="nothing was queued") as caught:
        tasks.add.enqueue(1, 2)
    assert isinstance(caught.value, RedisConnectionError)


@pytest.mark.parametrize("options", [{"LEASE": 0}, {"RESULT_TTL": -1}, {"MAX_LOST": 0}])
def test_options_of_the_backend_have_limits(options: dict[str, float], settings: Settings) -> None:
    settings.TASKS = {"default": {**settings.TASKS["default"], "OPTIONS": options}}
    with pytest.raises(ImproperlyConfigured, match="or more"):
        task_backends["default"]


def test_unknown_options_are_named(settings: Settings) -> None:
    settings.TASKS = {"default": {**settings.TASKS["default"], "OPTIONS": {"LEASES": 3}}}
    with pytest.raises(ImproperlyConfigured, match=r"unknown OPTIONS.*LEASES.*LEASE"):
        task_backends["default"]
