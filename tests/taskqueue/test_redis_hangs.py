"""Redis hangs, under a worker and in the middle of a batch."""

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings as site
from pytest_django import Settings

from processes import embedded_redis
from redistools.client import is_away
from taskqueue import start
from taskqueue.backend import get_backend
from taskqueue.store import Queue
from taskqueue.working.lane import Lane
from taskqueue.working.runner import Runner
from tests.migrated import copy_database
from tests.redis_servers import frozen
from tests.running_site import temporary_folder, wait_for
from tests.taskqueue import tasks
from tests.taskqueue.observe import drain, later, marked, size
from tests.taskqueue.workers import Workplace

Server = subprocess.Popen[bytes]


@pytest.fixture
def folder() -> Iterator[Path]:
    with temporary_folder() as folder:
        yield folder


@pytest.fixture
def server(folder: Path, settings: Settings) -> Iterator[Server]:
    """A Redis of its own, which the test may stop."""
    socket = folder / "redis" / "redis.sock"
    settings.REDIS_URL = f"unix://{socket}"
    with embedded_redis.running(socket) as process:
        yield process


def test_one_task_of_a_batch_fails_and_the_others_wait(server: Server) -> None:
    lane = Lane(Runner(get_backend("default")), [Queue("default")], worker_id="w")
    lane._seconds_per_task = 0.001  # so that it claims more than one at once
    numbers = [str(number) for number in range(5)]
    get_backend("default").enqueue_many([start.call(tasks.note, "hang", it) for it in numbers])
    claimed = len(lane.exchange().tasks)
    assert claimed > 1
    with frozen(server.pid):
        assert lane.run_pending() == 1
        assert lane.has_pending
    wait_for(lambda: not is_away())
    assert lane.run_pending() == claimed - 1
    lane.finish()
    drain(now=later(hours=1))
    assert set(marked("hang")) == set(numbers)
    assert size("failed") == 0


def test_a_worker_goes_on_when_redis_does(
    server: Server, folder: Path, key_prefix: str, migrated_database: Path
) -> None:
    copy_database(migrated_database, folder)
    place = Workplace(folder, redis_url=site.REDIS_URL, prefix=key_prefix, lease=1.0)
    try:
        worker = place.start_and_wait()
        tasks.note.enqueue("hang", "before")
        wait_for(lambda: marked("hang") == ["before"])
        with frozen(server.pid):
            wait_for(lambda: "Redis can't be used" in worker.output)
        wait_for(lambda: "Redis is back" in worker.output)
        tasks.note.enqueue("hang", "after")
        # Not only this: what was not yet recorded as done when it froze is done again.
        wait_for(lambda: "after" in marked("hang"))
        worker.signal(signal.SIGTERM)
        assert worker.wait() == 0
        # By the worker; a task that wanted to queue another one says so too.
        assert worker.output.count("Redis can't be used (") == 1
        assert "Traceback" not in worker.output
    finally:
        place.close()
