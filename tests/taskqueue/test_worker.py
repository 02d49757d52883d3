"""The worker command, as processes: signals, crashes, wake-ups."""

import signal

import pytest
from django.core.management import CommandError, call_command
from django_tasks import TaskResultStatus
from pytest_django import Settings

from redistools.client import get_client
from tests.running_site import wait_for
from tests.taskqueue import tasks
from tests.taskqueue.observe import later, marked, size
from tests.taskqueue.workers import Workplace


def test_a_worker_killed_in_the_middle_of_a_task_loses_nothing(workplace: Workplace) -> None:
    tasks.sleep.enqueue("killed", 0.5)
    first = workplace.start()
    wait_for(lambda: marked("killed") == ["began"])
    first.signal(signal.SIGKILL)
    workplace.start()
    wait_for(lambda: marked("killed") == ["began", "began", "ended"])
    wait_for(lambda: size("leases") == 0)


def test_a_lease_is_renewed_while_its_task_runs(workplace: Workplace) -> None:
    tasks.sleep.enqueue("long", 2.5)  # leases of the workplace last a second
    workplace.start()
    workplace.start()
    wait_for(lambda: marked("long")[-1:] == ["ended"])
    assert marked("long") == ["began", "ended"]


def test_sigterm_finishes_what_runs_and_returns_the_rest(workplace: Workplace) -> None:
    result = tasks.sleep.enqueue("graceful", 0.7)
    waiting = [tasks.note.enqueue("graceful", "never") for _ in range(3)]
    worker = workplace.start("--concurrency", "1")
    wait_for(lambda: marked("graceful") == ["began"])
    worker.signal(signal.SIGTERM)
    assert worker.wait() == 0
    assert marked("graceful") == ["began", "ended"]
    result.refresh()
    assert result.status == TaskResultStatus.SUCCESSFUL
    assert (size("ready"), size("leases")) == (len(waiting), 0)


def test_a_second_signal_stops_at_once(workplace: Workplace) -> None:
    tasks.sleep.enqueue("impatient", 20)
    worker = workplace.start()
    wait_for(lambda: marked("impatient") == ["began"])
    worker.signal(signal.SIGINT)
    wait_for(lambda: "stops" in worker.output)
    worker.signal(signal.SIGINT)
    assert worker.wait() == 128 + signal.SIGINT


def test_an_idle_worker_wakes_for_new_and_for_delayed_tasks(workplace: Workplace) -> None:
    workplace.start_and_wait()
    wait_for(lambda: get_client().info("clients")["blocked_clients"] > 0, what="it to sleep")
    tasks.note.enqueue("wake", "now")
    wait_for(lambda: marked("wake") == ["now"])
    delayed = tasks.note.using(run_after=later(seconds=0.5)).enqueue("wake", "later")
    wait_for(lambda: marked("wake") == ["now", "later"])
    delayed.refresh()
    assert delayed.started_at is not None
    assert delayed.task.run_after is not None
    assert delayed.started_at >= delayed.task.run_after


def test_a_delayed_task_with_an_earlier_time_resets_the_alarm(workplace: Workplace) -> None:
    workplace.start_and_wait()
    tasks.note.using(run_after=later(hours=1)).enqueue("alarm", "hour")
    tasks.note.using(run_after=later(seconds=0.3)).enqueue("alarm", "soon")
    wait_for(lambda: marked("alarm") == ["soon"])


def test_burst_runs_what_is_ready_and_stops(workplace: Workplace) -> None:
    for n in range(50):
        tasks.add_to_set.enqueue("burst", n)
    tasks.note.using(run_after=later(hours=1)).enqueue("burst", "later")
    assert workplace.start("--burst").wait() == 0
    assert get_client().scard(tasks.marks("burst")) == 50
    assert (size("ready"), size("leases"), size("delayed")) == (0, 0, 1)


def test_several_queues_take_turns(workplace: Workplace, settings: Settings) -> None:
    settings.TASKS = {
        "default": {"BACKEND": "taskqueue.backend.RedisBackend", "QUEUES": ["default", "other"]}
    }
    for n in range(30):
        tasks.add_to_set.enqueue("both", n)
        tasks.add_to_set.using(queue_name="other").enqueue("both", 100 + n)
    workplace.start("--queues", "other")
    wait_for(lambda: get_client().scard(tasks.marks("both")) == 30)
    assert size("ready", "default") == 30
    workplace.start("--queues", "default,other")
    wait_for(lambda: get_client().scard(tasks.marks("both")) == 60)


def test_a_slow_task_does_not_hold_up_what_was_claimed_with_it(workplace: Workplace) -> None:
    for n in range(200):
        tasks.add_to_set.enqueue("quick", n)
    tasks.sleep.enqueue("slow", 300)
    for n in range(200, 260):
        tasks.add_to_set.enqueue("quick", n)
    workplace.start("--concurrency", "2")
    wait_for(lambda: get_client().scard(tasks.marks("quick")) == 260)
    assert marked("slow") == ["began"]


def test_async_tasks_share_the_worker(workplace: Workplace) -> None:
    results = [tasks.note_async.enqueue("async", str(n)) for n in range(20)]
    workplace.start("--burst").wait()
    assert sorted(marked("async")) == sorted(str(n) for n in range(20))
    results[0].refresh()
    assert results[0].status == TaskResultStatus.SUCCESSFUL


def test_failures_are_logged_with_their_traceback_and_tasks_at_debug(workplace: Workplace) -> None:
    tasks.fail_once_and_for_all.enqueue()
    tasks.add.enqueue(1, 2)
    worker = workplace.start("--burst")
    worker.wait()
    assert 'raise ValueError("no use")' in worker.output
    assert worker.output.count("tests.taskqueue.tasks.add done in") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["--concurrency", "0"], "1 or more"), (["--queues", "nowhere"], r"Unknown queues.*default")],
)
def test_bad_arguments_are_explained(arguments: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("worker", *arguments)


def test_a_worker_without_redis_says_so_in_one_line(settings: Settings) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    with pytest.raises(CommandError, match=r"Redis does not answer.*serve"):
        call_command("worker")
