"""The queue on a Redis Cluster, where every script may touch one slot only."""

import threading

import pytest
from django_tasks import TaskResultStatus, default_task_backend
from pytest_django import Settings

from taskqueue import start
from taskqueue.backend import get_backend
from taskqueue.worker import Worker
from tests.running_site import wait_for
from tests.taskqueue import tasks
from tests.taskqueue.observe import drain, later

QUEUES = ["a", "b", "c", "default"]  # on different nodes


@pytest.fixture(autouse=True)
def cluster(settings: Settings, redis_cluster_url: str) -> None:
    settings.REDIS_URL = redis_cluster_url
    settings.TASKS = {"default": {"BACKEND": "taskqueue.backend.RedisBackend", "QUEUES": QUEUES}}


def test_tasks_for_queues_on_several_nodes_are_queued_in_one_call_and_run() -> None:
    calls = [
        start.call(tasks.add.using(queue_name=name), n, 1) for n, name in enumerate(QUEUES * 3)
    ]
    results = get_backend("default").enqueue_many(calls)
    assert drain() == len(calls)
    for number, result in enumerate(results):
        result.refresh()
        assert result.return_value == number + 1


def test_retries_and_failed_tasks_work() -> None:
    result = tasks.fail.using(queue_name="b").enqueue("x")
    for hour in range(3):
        drain(now=later(hours=hour))
    result.refresh()
    assert result.status == TaskResultStatus.FAILED


def test_an_idle_worker_wakes_for_each_of_its_queues() -> None:
    worker = Worker(get_backend("default"), QUEUES, concurrency=2)
    thread = threading.Thread(target=worker.run)
    thread.start()
    try:
        results = [tasks.add.using(queue_name=name).enqueue(1, 1) for name in QUEUES]
        wait_for(lambda: all(default_task_backend.get_result(r.id).is_finished for r in results))
    finally:
        worker.stop()
        thread.join()
