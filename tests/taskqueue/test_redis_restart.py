"""Redis goes away and comes back."""

import signal
from pathlib import Path

import pytest
from pytest_django import Settings

from processes import embedded_redis
from redistools.client import is_away
from taskqueue.exceptions import QueueUnavailable
from tests.migrated import copy_database
from tests.running_site import temporary_folder, wait_for
from tests.taskqueue import tasks
from tests.taskqueue.observe import later, marked
from tests.taskqueue.workers import Workplace


def test_a_worker_goes_on_when_redis_comes_back(
    settings: Settings, key_prefix: str, migrated_database: Path
) -> None:
    with temporary_folder() as folder:
        socket = folder / "redis" / "redis.sock"
        settings.REDIS_URL = f"unix://{socket}"
        copy_database(migrated_database, folder)
        place = Workplace(folder, redis_url=settings.REDIS_URL, prefix=key_prefix, lease=1.0)
        try:
            with embedded_redis.running(socket):
                worker = place.start_and_wait()
                tasks.note.enqueue("restart", "before")
                wait_for(lambda: marked("restart") == ["before"])
                tasks.note.using(run_after=later(seconds=1)).enqueue("restart", "delayed")
            wait_for(lambda: "Redis can't be used" in worker.output)
            with pytest.raises(QueueUnavailable):
                tasks.note.enqueue("restart", "refused")
            with embedded_redis.running(socket):
                wait_for(lambda: "Redis is back" in worker.output)
                wait_for(lambda: not is_away(), what="this process to notice too")
                tasks.note.enqueue("restart", "after")
                # Twice, if Redis went away between a task and the word that it is done.
                everything = {"before", "delayed", "after"}
                wait_for(lambda: set(marked("restart")) == everything, what=f"all of {everything}")
                worker.signal(signal.SIGTERM)
                assert worker.wait() == 0
            # By the worker; a task that wanted to queue another one says so too.
            assert worker.output.count("Redis can't be used (") == 1
        finally:
            place.close()
