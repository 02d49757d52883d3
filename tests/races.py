"""Run the same job many times at once, to prove that what it uses is atomic."""

import multiprocessing
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.synchronize import Barrier
from typing import Any, TypeVar

from django.conf import settings
from django.db import connections

T = TypeVar("T")

_start: Barrier


def in_threads(count: int, job: Callable[..., T], *arguments: object) -> list[T]:
    """The results of `count` threads that start the job together."""
    start = threading.Barrier(count)

    def run(_: int) -> T:
        start.wait()
        try:
            return job(*arguments)
        finally:
            connections.close_all()  # which belong to the thread

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


def in_processes(count: int, job: Callable[..., T], *arguments: object) -> list[T]:
    """The same with processes, on this test's Redis and key prefix.

    The job is a function of an importable module, and must not need SQL: the processes only know
    the settings that redistools uses.
    """
    context = multiprocessing.get_context("forkserver")
    # They are forks of one process, which has imported what takes long once for all tests.
    context.set_forkserver_preload(["tests.races", "redistools.client", "pytest"])
    redis_settings = {
        name: getattr(settings, name)
        for name in ("REDIS_URL", "REDIS_KEY_PREFIX", "REDIS_MAX_CONNECTIONS", "PARTITIONS")
    }
    setup = (context.Barrier(count), redis_settings)
    with context.Pool(count, initializer=_set_up, initargs=setup) as pool:
        return pool.starmap(_run, [(job, arguments)] * count, chunksize=1)


def _set_up(start: Barrier, redis_settings: dict[str, Any]) -> None:
    global _start
    _start = start
    settings.configure(**redis_settings, SECRET_KEY="of the tests")


def _run(job: Callable[..., T], arguments: tuple[object, ...]) -> T:
    # Nobody takes a second job before everybody has a first: each process gets exactly one.
    _start.wait()
    return job(*arguments)
