"""Tasks that come back by themselves: `@periodic(every=timedelta(hours=1))` above `@task()`."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from django_tasks.base import Task

from .backend import RedisBackend
from .exceptions import InvalidTask
from .payload import encode_body
from .store import Queue

SHORTEST_PERIOD = timedelta(seconds=1)

AnyTask = TypeVar("AnyTask", bound=Task[[], Any])


@dataclass(frozen=True)
class PeriodicTask:
    task: Task[[], Any]
    every: timedelta


registry: dict[str, PeriodicTask] = {}


def periodic(*, every: timedelta) -> Callable[[AnyTask], AnyTask]:
    """Queues the task once in each period, over all workers. Periods count from the epoch, in UTC.

    A period in which no worker ran is left out. The module must be an app's `tasks`, which the
    worker imports.
    """
    if every < SHORTEST_PERIOD:
        raise InvalidTask(f"every must be {SHORTEST_PERIOD} or longer, got {every}")

    def register(task: AnyTask) -> AnyTask:
        registry[task.module_path] = PeriodicTask(task, every)
        return task

    return register


class Timetable:
    def __init__(self, queues: Iterable[Queue], *, backend: RedisBackend) -> None:
        self._queues = {queue.name: queue for queue in queues}
        self._backend = backend
        self._due: dict[str, float] = {}

    def queue_due(self) -> float:
        """A round trip for each task whose period is over. The seconds until the next is."""
        for name, entry in list(registry.items()):
            queue = self._queues.get(self._backend.shard(entry.task.queue_name, name))
            if queue and entry.task.backend == self._backend.alias:
                self._queue_if_due(queue, name, entry)
        return max(0.0, min(self._due.values(), default=float("inf")) - time.monotonic())

    def _queue_if_due(self, queue: Queue, name: str, entry: PeriodicTask) -> None:
        if self._due.get(name, 0.0) > time.monotonic():
            return
        body = encode_body(entry.task, [], {}, datetime.now(UTC))
        every, priority = entry.every.total_seconds(), entry.task.priority
        _, rest = queue.begin_period(name, every=every, body=body, priority=priority)
        self._due[name] = time.monotonic() + rest
