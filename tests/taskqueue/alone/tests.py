"""What django-tasks documents for every backend, against this one. Run by `test_alone.py`."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.management import call_command
from django.db import transaction
from django.test import TransactionTestCase
from django.utils import timezone
from django_tasks import (
    TaskResult,
    TaskResultStatus,
    default_task_backend,
    task,
    task_backends,
)
from django_tasks.exceptions import TaskResultDoesNotExist, TaskResultMismatch
from django_tasks.signals import task_enqueued, task_finished, task_started

from redistools.client import get_client
from taskqueue.backend import RedisBackend, get_backend
from taskqueue.drain import drain
from taskqueue.exceptions import InvalidTask
from taskqueue.worker import Worker
from tests.running_site import wait_for
from tests.taskqueue.alone import tasks

READY, SUCCESSFUL, FAILED = (
    TaskResultStatus.READY,
    TaskResultStatus.SUCCESSFUL,
    TaskResultStatus.FAILED,
)


class AloneTestCase(TransactionTestCase):
    def setUp(self) -> None:
        get_client().flushall()

    def assert_notes(self, *expected: str) -> None:
        self.assertEqual(notes(), list(expected))


def notes() -> list[str]:
    found: Any = get_client().lrange(tasks.NOTES, 0, -1)
    return list(found)


class SettingsTests(AloneTestCase):
    def test_no_setting_but_the_address_of_redis_is_needed(self) -> None:
        own = {name for name in dir(settings) if name.startswith("REDIS_")}
        self.assertEqual(own, {"REDIS_URL"})

    def test_the_project_passes_djangos_checks(self) -> None:
        call_command("check")
        call_command("makemigrations", "--check", "--dry-run", verbosity=0)

    def test_the_backend_says_what_it_can_do(self) -> None:
        self.assertIsInstance(task_backends["default"], RedisBackend)
        for ability in ("defer", "async_task", "get_result", "priority"):
            self.assertIs(getattr(default_task_backend, f"supports_{ability}"), True)


class EnqueueTests(AloneTestCase):
    def test_a_task_waits_runs_and_gives_its_value(self) -> None:
        result = tasks.add.enqueue(1, b=2)
        self.assertEqual((result.status, result.args, result.kwargs), (READY, [1], {"b": 2}))
        self.assertEqual((result.attempts, result.is_finished), (0, False))
        with self.assertRaisesMessage(ValueError, "not finished"):
            _ = result.return_value
        drain()
        self.assertEqual((result.status, result.is_finished), (READY, False))
        result.refresh()
        self.assertEqual((result.status, result.return_value), (SUCCESSFUL, 3))
        self.assertEqual((result.attempts, result.is_finished), (1, True))

    def test_a_result_keeps_the_times_of_its_task(self) -> None:
        result = tasks.add.enqueue(1, 2)
        self.assertIsNotNone(result.enqueued_at)
        self.assertIsNone(result.started_at or result.finished_at or result.last_attempted_at)
        drain()
        result.refresh()
        moments = [result.enqueued_at, result.started_at, result.finished_at]
        self.assertEqual(moments, sorted(filter(None, moments)))
        self.assertEqual(result.last_attempted_at, result.started_at)

    def test_ids_are_opaque_strings_of_at_most_64_characters(self) -> None:
        ids = [tasks.add.enqueue(1, 2).id for _ in range(2)]
        self.assertEqual(len(set(ids)), 2)
        self.assertLessEqual(max(map(len, ids)), 64)

    def test_arguments_become_what_json_makes_of_them(self) -> None:
        result = tasks.note.enqueue(("a", {"b": (1, 2.5, None)}))  # type: ignore[arg-type] # any JSON
        self.assertEqual(result.args, [["a", {"b": [1, 2.5, None]}]])
        with self.assertRaises(TypeError):
            tasks.note.enqueue(object())  # type: ignore[arg-type] # the point of it

    def test_signals_tell_of_each_step(self) -> None:
        heard: list[str] = []
        signals = {"enqueued": task_enqueued, "started": task_started, "finished": task_finished}
        receivers = {name: _hearing(heard, name) for name in signals}
        for name, signal in signals.items():
            signal.connect(receivers[name], sender=RedisBackend)
        tasks.add.enqueue(1, 2)
        drain()
        for name, signal in signals.items():
            signal.disconnect(receivers[name], sender=RedisBackend)
        self.assertEqual(heard, ["enqueued", "started", "finished"])

    def test_a_task_can_be_called_without_the_queue(self) -> None:
        self.assertEqual(tasks.add.call(1, 2), 3)
        self.assertEqual(tasks.add_async.call(1, 2), 3)


def _hearing(heard: list[str], name: str) -> Any:
    return lambda task_result, **_: heard.append(name)


class AsyncTests(AloneTestCase):
    async def test_everything_has_an_async_twin(self) -> None:
        result = await tasks.add.aenqueue(1, 2)
        self.assertEqual((await tasks.add.aget_result(result.id)).status, READY)
        self.assertEqual((await default_task_backend.aget_result(result.id)).status, READY)
        await sync_to_async(drain)()
        await result.arefresh()
        self.assertEqual(result.return_value, 3)
        self.assertEqual(await tasks.add.acall(1, 2), 3)

    def test_coroutines_run(self) -> None:
        result = tasks.add_async.enqueue(1, 2)
        drain()
        result.refresh()
        self.assertEqual(result.return_value, 3)


class ResultTests(AloneTestCase):
    def test_a_result_is_found_by_its_id(self) -> None:
        found = tasks.add.get_result(tasks.add.enqueue(1, 2).id)
        self.assertEqual((found.status, found.args, found.backend), (READY, [1, 2], "default"))
        self.assertEqual(found.task, tasks.add)

    def test_an_unknown_one_does_not_exist(self) -> None:
        with self.assertRaises(TaskResultDoesNotExist):
            default_task_backend.get_result("nothing")

    def test_that_of_another_task_does_not_match(self) -> None:
        with self.assertRaises(TaskResultMismatch):
            tasks.note.get_result(tasks.add.enqueue(1, 2).id)

    def test_a_failure_keeps_its_error(self) -> None:
        result = tasks.fail.enqueue()
        with self.assertLogs("django_tasks", "ERROR"):
            drain()
        result.refresh()
        self.assertEqual((result.status, result.is_finished), (FAILED, True))
        self.assertIs(result.errors[0].exception_class, ValueError)
        self.assertIn("as asked for", result.errors[0].traceback)
        with self.assertRaisesMessage(ValueError, "failed"):
            _ = result.return_value

    def test_the_context_knows_attempt_and_result(self) -> None:
        result = tasks.attempt_of.enqueue("hello")
        drain()
        result.refresh()
        self.assertEqual(result.return_value, f"hello 1 {result.id}")


class OptionsTests(AloneTestCase):
    def test_the_decorator_takes_options_and_using_changes_them(self) -> None:
        self.assertEqual((tasks.mail.queue_name, tasks.mail.priority), ("mail", 7))
        changed = tasks.mail.using(priority=8, queue_name="post")
        self.assertEqual((changed.queue_name, changed.priority), ("post", 8))
        self.assertEqual((tasks.mail.queue_name, tasks.mail.priority), ("mail", 7))
        self.assertEqual(tasks.add.name, "add")
        self.assertEqual(tasks.add.module_path, "tests.taskqueue.alone.tasks.add")

    def test_a_higher_priority_goes_first(self) -> None:
        for priority in (0, -100, 100):
            tasks.note.using(priority=priority).enqueue(str(priority))
        drain()
        self.assert_notes("100", "0", "-100")

    def test_a_task_does_not_run_before_its_time(self) -> None:
        due = timezone.now() + timedelta(hours=1)
        result = tasks.note.using(run_after=due).enqueue("late")
        self.assertEqual(result.task.run_after, due)
        drain()
        self.assert_notes()
        drain(now=due + timedelta(milliseconds=1))
        self.assert_notes("late")

    def test_what_is_not_valid_is_refused(self) -> None:
        refused: list[dict[str, Any]] = [
            {"priority": 101},
            {"priority": -101},
            {"priority": 1.5},
            {"run_after": datetime(2030, 1, 1)},  # noqa: DTZ001 - the point of it
            {"backend": "on_commit", "queue_name": "elsewhere"},
        ]
        for options in refused:
            with self.subTest(options), self.assertRaises(InvalidTask):
                tasks.add.using(**options)

    def test_only_functions_of_a_module_that_take_their_context_are_tasks(self) -> None:
        def inner() -> None: ...

        for wrong in (inner, lambda: None, len):
            with self.assertRaises(InvalidTask):
                task(wrong)
        with self.assertRaises(InvalidTask):
            task(takes_context=True)(tasks.add.func)  # type: ignore[arg-type] # the point of it

    def test_an_unknown_backend_is_refused(self) -> None:
        with self.assertRaises(Exception) as refused:
            tasks.add.using(backend="elsewhere")
        self.assertIn("elsewhere", str(refused.exception))


class WorkerTests(AloneTestCase):
    def test_a_worker_in_burst_runs_what_is_in_all_queues(self) -> None:
        results: list[TaskResult[Any]] = [tasks.mail.enqueue(), tasks.add.enqueue(1, 2)]
        self.assertTrue(Worker(get_backend("default"), burst=True).run())
        self.assertEqual([_status(result) for result in results], [SUCCESSFUL, SUCCESSFUL])

    def test_periodic_tasks_have_their_queue(self) -> None:
        with _running_worker():
            wait_for(lambda: notes() == ["the hour"])


def _status(result: TaskResult[Any]) -> TaskResultStatus:
    result.refresh()
    return result.status


@contextmanager
def _running_worker() -> Iterator[None]:
    worker = Worker(get_backend("default"))
    thread = threading.Thread(target=worker.run)
    thread.start()
    try:
        yield
    finally:
        worker.stop()
        thread.join()


class OnCommitTests(AloneTestCase):
    def test_the_backend_says_whether_enqueue_waits_for_the_commit(self) -> None:
        self.assertIs(get_backend("default").enqueue_on_commit, False)
        self.assertIs(get_backend("on_commit").enqueue_on_commit, True)
        with transaction.atomic():
            result = tasks.note_on_commit.enqueue("committed")
            with self.assertRaises(TaskResultDoesNotExist):
                result.refresh()
        result.refresh()
        self.assertEqual(result.status, READY)

    def test_nothing_is_queued_for_what_is_rolled_back(self) -> None:
        with transaction.atomic():
            tasks.note_on_commit.enqueue("never")
            transaction.set_rollback(True)
        self.assertEqual(drain(), 0)

    def test_other_tasks_are_queued_at_once(self) -> None:
        with transaction.atomic():
            tasks.note.enqueue("at once").refresh()
            transaction.set_rollback(True)
        drain()
        self.assert_notes("at once")
