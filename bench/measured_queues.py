"""The same work for ours, rq and huey, behind one interface."""

import logging
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Protocol

import huey
import redis
import rq
from django.conf import settings

from bench import queue_tasks
from redistools.chunks import chunks
from taskqueue import start
from taskqueue.backend import get_backend
from taskqueue.worker import Worker

CHUNK = 500


class MeasuredQueue(Protocol):
    """A queue with one worker that runs one task at a time, in this process."""

    def enqueue(self, count: int) -> None: ...
    def enqueue_delayed(self, dues: Sequence[float]) -> None: ...
    def run_ready(self, count: int) -> None:
        """Run this many waiting tasks, as fast as possible."""

    def start(self) -> None:
        """Let a worker run in the background until the process ends."""


class Ours:
    def __init__(self) -> None:
        logging.getLogger("django_tasks").setLevel(logging.WARNING)
        self.backend = get_backend("default")

    def enqueue(self, count: int) -> None:
        for number in range(count):
            queue_tasks.increment_task.enqueue(number)

    def enqueue_delayed(self, dues: Sequence[float]) -> None:
        task = queue_tasks.note_lateness_task
        calls = [
            start.call(task.using(run_after=datetime.fromtimestamp(due, UTC)), due) for due in dues
        ]
        for some in chunks(calls, CHUNK):
            self.backend.enqueue_many(some)

    def run_ready(self, count: int) -> None:  # noqa: ARG002 - huey needs it
        Worker(self.backend, concurrency=1, burst=True).run()

    def start(self) -> None:
        worker = Worker(self.backend, concurrency=1)
        threading.Thread(target=worker.run, daemon=True).start()


class Rq:
    worker_class: type[rq.worker.BaseWorker] = rq.Worker

    def __init__(self) -> None:
        self.redis = redis.Redis.from_url(settings.REDIS_URL)
        self.queue = rq.Queue("bench", connection=self.redis)

    def enqueue(self, count: int) -> None:
        for number in range(count):
            self.queue.enqueue(queue_tasks.increment, number)

    def enqueue_delayed(self, dues: Sequence[float]) -> None:
        raise NotImplementedError("rq looks for due jobs once in a second at best")

    def run_ready(self, count: int) -> None:  # noqa: ARG002 - huey needs it
        worker = self.worker_class([self.queue], connection=self.redis)
        worker.work(burst=True, logging_level="ERROR")

    def start(self) -> None:
        raise NotImplementedError("rq's worker must own the main thread")


class RqWithoutFork(Rq):
    worker_class = rq.SimpleWorker


class Huey:
    def __init__(self) -> None:
        self.huey = huey.RedisHuey("bench", url=settings.REDIS_URL)
        self.increment = self.huey.task()(queue_tasks.increment)
        self.note_lateness = self.huey.task()(queue_tasks.note_lateness)
        logging.getLogger("huey").setLevel(logging.ERROR)

    def enqueue(self, count: int) -> None:
        for number in range(count):
            self.increment(number)

    def enqueue_delayed(self, dues: Sequence[float]) -> None:
        for due in dues:
            self.note_lateness.schedule(args=(due,), eta=datetime.fromtimestamp(due))  # noqa: DTZ006

    def run_ready(self, count: int) -> None:
        self.start()
        for _ in range(count):
            queue_tasks.ran.acquire()

    def start(self) -> None:
        self.huey.create_consumer(workers=1, periodic=False).start()


QUEUES: dict[str, type[MeasuredQueue]] = {
    "ours": Ours,
    "rq": Rq,
    "rq without fork": RqWithoutFork,
    "huey": Huey,
}
