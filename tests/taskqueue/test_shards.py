"""A queue that is spread over the nodes of a Redis Cluster."""

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django_tasks import TaskResultStatus, default_task_backend
from pytest_django import Settings

from redistools import keys
from redistools.client import get_client
from taskqueue import failed_tasks, periodic, start
from taskqueue.backend import Options, get_backend
from taskqueue.periodic import Timetable
from taskqueue.store import Queue
from taskqueue.worker import Worker
from tests.redis_servers import CLUSTER_NODES
from tests.running_site import wait_for
from tests.taskqueue import tasks
from tests.taskqueue.observe import drain, later, marked, size
from upkeep.admin.failed_tasks import queue_names

MANY = 30


@pytest.fixture(autouse=True)
def sharded(settings: Settings, redis_cluster_url: str) -> None:
    settings.REDIS_URL = redis_cluster_url
    settings.TASKS = {
        "default": {
            "BACKEND": "taskqueue.backend.RedisBackend",
            "QUEUES": ["default", "fan_out"],
            "OPTIONS": {"SHARDS": CLUSTER_NODES},
        }
    }


def shards() -> list[str]:
    return list(get_backend("default").shards("default"))


def test_each_node_has_a_shard_of_each_queue() -> None:
    client: Any = get_client()
    for name in ("default", "fan_out"):
        keys_ = [keys.queue(shard, "ready") for shard in get_backend("default").shards(name)]
        assert len({client.get_node_from_key(key).name for key in keys_}) == CLUSTER_NODES


def test_tasks_are_spread_over_the_shards_and_all_run() -> None:
    results = get_backend("default").enqueue_many(start.call(tasks.add, n, 1) for n in range(MANY))
    assert all(size("ready", shard) for shard in shards())
    assert sum(size("ready", shard) for shard in shards()) == MANY
    assert size("ready", "default") == 0
    assert drain() == MANY
    for number, result in enumerate(results):
        result.refresh()
        assert result.return_value == number + 1


def test_tasks_with_one_unique_key_meet_in_one_shard() -> None:
    unique = tasks.note.using(unique_key="one")
    first, *others = [unique.enqueue("unique", str(number)) for number in range(MANY)]
    assert {result.id for result in others} == {first.id}
    drain()
    assert marked("unique") == ["0"]


def test_a_retry_stays_in_its_shard_until_it_failed_for_good() -> None:
    result = tasks.fail.enqueue("x")
    for hour in range(3):
        drain(now=later(hours=hour))
    result.refresh()
    assert result.status == TaskResultStatus.FAILED
    [shard] = [shard for shard in shards() if failed_tasks.count(shard)]
    assert shard in queue_names()
    assert failed_tasks.retry(shard, [result.id]) == 1
    assert drain(now=later(hours=4)) == 1


def test_a_periodic_task_is_queued_once_in_a_period(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(periodic, "registry", {})
    periodic.periodic(every=timedelta(hours=1))(tasks.tick)
    for _ in range(2):
        Timetable(map(Queue, shards()), backend=get_backend("default")).queue_due()
    drain()
    assert marked("tick") == ["tock"]


def test_an_idle_worker_wakes_for_every_shard() -> None:
    worker = Worker(get_backend("default"), ["default"], concurrency=2)
    thread = threading.Thread(target=worker.run)
    thread.start()
    try:
        results = [tasks.add.enqueue(number, 1) for number in range(MANY)]
        wait_for(lambda: all(default_task_backend.get_result(r.id).is_finished for r in results))
    finally:
        worker.stop()
        thread.join()


@pytest.mark.django_db
def test_the_figures_are_shown_for_each_shard(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("queue_stats")
    lines = capsys.readouterr().out.splitlines()
    assert {line.split()[0] for line in lines[1:]} == set(get_backend("default").all_shards())


def test_without_shards_a_queue_has_its_own_name(settings: Settings) -> None:
    settings.TASKS = {"default": {"BACKEND": "taskqueue.backend.RedisBackend"}}
    assert get_backend("default").all_shards() == ["default"]


def test_no_shards_are_refused() -> None:
    with pytest.raises(ImproperlyConfigured, match="SHARDS must be 1 or more, got 0"):
        Options.read({"SHARDS": 0})


def test_a_backend_without_queues_is_refused(settings: Settings) -> None:
    settings.TASKS = {"default": {"BACKEND": "taskqueue.backend.RedisBackend", "QUEUES": []}}
    with pytest.raises(ImproperlyConfigured, match="QUEUES must name the queues"):
        get_backend("default")
