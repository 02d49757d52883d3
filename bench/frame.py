"""What every benchmark needs: its own site in a temporary folder, and a stopwatch."""

import contextlib
import importlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

# Set by the operator for the real site: a benchmark measures what the defaults give.
FOREIGN_SETTINGS = (
    *("DATABASE_URL", "SECRET_KEY", "SITE_URL", "ALLOWED_HOSTS", "PORT", "STREAM_PORT", "DEBUG"),
    *("REDIS_URL", "REDIS_KEY_PREFIX", "PARTITIONS", "PULL_THRESHOLD", "WEB_WORKERS"),
)
IDLE_SECONDS = 120.0


@dataclass(frozen=True)
class Stage:
    """A site whose stores run: its folder, and the size of the benchmark."""

    folder: Path
    scale: float = 1.0

    def size(self, full: int, *, least: int = 1) -> int:
        """`full` in a real run, less in a test."""
        return max(least, round(full * self.scale))

    @contextlib.contextmanager
    def worker(self, **environment: str) -> Iterator[None]:
        """The real worker process, once it answers."""
        command = [sys.executable, "manage.py", "worker"]
        with running(command, self.folder / "worker.log", environment):
            wait_until_worker_answers()
            yield


@contextlib.contextmanager
def stage(
    scale: float,
    *,
    redis_url: str | None = None,
    database: Path | None = None,
    database_url: str | None = None,
) -> Iterator[Stage]:
    """A new site on these stores, by default SQLite and the embedded Redis, where nobody is
    throttled. One for each process: Django knows one.
    """
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(temporary_site(redis_url, database, database_url))
        if redis_url is None:
            stack.enter_context(embedded_redis())
        stack.enter_context(importlib.import_module("users.throttling").unlimited())
        yield Stage(folder, scale)


@contextlib.contextmanager
def temporary_site(
    redis_url: str | None = None, database: Path | None = None, database_url: str | None = None
) -> Iterator[Path]:
    """Points the process at a new folder, sets Django up, and migrates the database."""
    # As in the tests: a unix socket's path must be short.
    with tempfile.TemporaryDirectory(prefix="bench-", ignore_cleanup_errors=True) as folder:
        for name in FOREIGN_SETTINGS:
            os.environ.pop(name, None)
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "socialsite.settings",
            "SOCIALSITE_DATA_DIR": folder,
            "SOCIALSITE_ENV_FILE": os.devnull,
            "LOG_LEVEL": "WARNING",
        }
        if redis_url:
            os.environ["REDIS_URL"] = redis_url
        if database_url:
            os.environ["DATABASE_URL"] = database_url
        if database:
            shutil.copy(database, Path(folder) / "socialsite.sqlite3")
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        yield Path(folder)


@contextlib.contextmanager
def embedded_redis() -> Iterator[None]:
    """The Redis that a site without `REDIS_URL` has."""
    from django.conf import settings

    from processes import embedded_redis

    with embedded_redis.running(settings.REDIS_SOCKET):
        yield


@contextlib.contextmanager
def redis_cluster() -> Iterator[str]:
    """Three masters on free ports; gives their URL."""
    from tests.redis_servers import (
        CLUSTER_NODES,
        client_of,
        cluster_options,
        join_cluster,
        running_server,
    )

    with contextlib.ExitStack() as stack:
        ports = []
        for _ in range(CLUSTER_NODES):
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-"))
            ports.append(stack.enter_context(running_server(Path(folder), *cluster_options())))
        nodes = [client_of(port) for port in ports]
        join_cluster(nodes)
        for node in nodes:
            node.close()
        yield "redis+cluster://" + ",".join(f"127.0.0.1:{port}" for port in ports)


@contextlib.contextmanager
def running(command: list[str], log: Path, environment: Mapping[str, str]) -> Iterator[None]:
    """Run a process of the site during the block."""
    with log.open("ab") as output:
        process = subprocess.Popen(
            command, env=os.environ | environment, stdout=output, stderr=output
        )
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def wait_until_worker_answers() -> None:
    from bench.queue_tasks import increment_task

    increment_task.enqueue(0)
    wait_until_idle()


def wait_until_idle() -> None:
    """Wait until nothing is queued and nothing runs. Looks at most a thousand times a second."""
    from taskqueue.backend import get_backend
    from taskqueue.stats import queue_stats

    names = get_backend("default").all_shards()
    deadline = time.monotonic() + IDLE_SECONDS
    while any(stats.ready or stats.running for stats in map(queue_stats, names)):
        if time.monotonic() > deadline:
            sys.exit(f"tasks are still queued after {IDLE_SECONDS:g} s: does the worker run?")
        time.sleep(0.001)


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def percentile(values: list[float], percent: int) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


def median(values: list[float]) -> float:
    return percentile(values, 50)


def interleaved(
    works: Mapping[str, Callable[[], object]], *, rounds: int
) -> dict[str, list[float]]:
    """Seconds of each job in each round. They take turns: what disturbs one disturbs all."""
    taken: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            taken[name].append(seconds(work))
    return taken
