"""Real `manage.py worker` processes, with the test's own Redis, key prefix and database."""

import signal
import subprocess
import sys
import threading
from pathlib import Path

from django.conf import settings
from django.utils.module_loading import autodiscover_modules

from redistools import keys
from redistools.client import get_client
from taskqueue import periodic
from tests.running_site import site_environment, wait_for

WORKER_SETTINGS = "tests.taskqueue.worker_settings"


class Workplace:
    """What the workers of one test share."""

    def __init__(self, folder: Path, *, redis_url: str, prefix: str, lease: float = 30.0) -> None:
        self.folder = folder
        self.environment = site_environment(
            folder,
            DJANGO_SETTINGS_MODULE=WORKER_SETTINGS,
            REDIS_URL=redis_url,
            PARTITIONS=str(settings.PARTITIONS),
            REDIS_KEY_PREFIX=prefix,
            TEST_LEASE=str(lease),
            LOG_LEVEL="DEBUG",
        )
        self.processes: list[WorkerProcess] = []

    def start(self, *arguments: str) -> "WorkerProcess":
        worker = WorkerProcess(self.environment, *arguments)
        self.processes.append(worker)
        return worker

    def start_and_wait(self, *arguments: str) -> "WorkerProcess":
        worker = self.start(*arguments)
        wait_for(lambda: " at a time" in worker.output, what="the worker's first line")
        return worker

    def close(self) -> None:
        for worker in self.processes:
            if worker.process.poll() is None:
                worker.process.kill()
            worker.wait()


def skip_periodic_tasks() -> None:
    """The site's periodic tasks would run among the test's: mark them as done for ages."""
    autodiscover_modules("tasks")
    for name, entry in periodic.registry.items():
        get_client().hset(keys.queue(entry.task.queue_name, "periods"), name, str(2**40))


class WorkerProcess:
    def __init__(self, environment: dict[str, str], *arguments: str) -> None:
        self.output = ""
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "worker", *arguments],
            cwd=settings.BASE_DIR,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                self.output += line

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def wait(self) -> int:
        code = self.process.wait(timeout=30)
        self._reader.join(timeout=10)
        return code
