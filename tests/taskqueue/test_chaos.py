"""Workers die at random. No task may be lost or left lying around."""

import signal
import subprocess
import sys
from collections import Counter

from django.conf import settings as site

from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch
from taskqueue import start
from taskqueue.backend import get_backend
from tests.running_site import wait_for
from tests.taskqueue import tasks
from tests.taskqueue.observe import size
from tests.taskqueue.workers import Workplace

TASKS, WORKERS, KILLS = 1_200, 4, 15


def enqueue_tasks(name: str) -> list[str]:
    calls = [start.call(tasks.add_to_set_slowly, name, n) for n in range(TASKS)]
    return [result.id for result in get_backend("default").enqueue_many(calls)]


def attempts(ids: list[str]) -> Counter[int]:
    batch = Batch(get_client())
    for task_id in ids:
        batch.add("HGET", keys.queued_task("default", task_id), "workers")
    return Counter(len(workers.split()) for workers in batch.run())


def test_workers_killed_at_random_lose_nothing(workplace: Workplace) -> None:
    ids = enqueue_tasks("chaos")
    command = [sys.executable, "-m", "tests.taskqueue.nursery", str(WORKERS), str(KILLS)]
    nursery = subprocess.Popen(
        command, cwd=site.BASE_DIR, env=workplace.environment, stdout=subprocess.PIPE
    )
    try:
        assert nursery.stdout is not None
        assert nursery.stdout.readline() == b"killed enough\n"
        wait_for(lambda: get_client().scard(tasks.marks("chaos")) == TASKS)
        wait_for(lambda: size("leases") == 0)
    finally:
        nursery.send_signal(signal.SIGTERM)
        nursery.communicate(timeout=30)
    assert nursery.returncode == 0
    assert [size(part) for part in ("ready", "delayed", "leases", "failed")] == [0, 0, 0, 0]
    tries = attempts(ids)
    assert sum(tries.values()) == TASKS
    assert max(tries) > 1, "no kill hit a task: the test has proved nothing"
