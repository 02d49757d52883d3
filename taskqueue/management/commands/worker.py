import logging
import os
import signal
import threading
from types import FrameType
from typing import Any

from django.core.management.base import CommandError, CommandParser
from redis.exceptions import RedisError

from redistools.client import get_client

from ...backend import RedisBackend, get_backend
from ...events import worker_began, worker_ended
from ...worker import Worker
from ..helpful import HelpfulCommand

DEFAULT_CONCURRENCY = 4

logger = logging.getLogger("taskqueue.worker")


class Command(HelpfulCommand):
    help = "Run queued tasks."
    examples = (
        "manage.py worker                        every queue, four tasks at a time",
        "manage.py worker --queues mail,default  these queues, taking turns",
        "manage.py worker --concurrency 16       for tasks that mostly wait",
        "manage.py worker --burst                run what is ready, then stop",
    )
    afterword = (
        "SIGTERM or Ctrl-C lets running tasks finish and returns the others; a second one stops "
        "at once."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--queues", default="", help="comma-separated names (default: all)")
        how_many = f"how many tasks run at a time (default: {DEFAULT_CONCURRENCY})"
        parser.add_argument("--concurrency", type=int, default=DEFAULT_CONCURRENCY, help=how_many)
        parser.add_argument("--burst", action="store_true", help="stop when nothing is ready")
        parser.add_argument("--backend", default="default", help="alias in TASKS")

    def handle(
        self, *, queues: str, concurrency: int, burst: bool, backend: str, **options: Any
    ) -> None:
        if concurrency < 1:
            raise CommandError(f"--concurrency must be 1 or more, got {concurrency}")
        redis_backend = get_backend(backend)
        names = checked_queue_names(queues, redis_backend)
        check_redis()
        quiet_django_tasks()
        worker = Worker(redis_backend, names, concurrency=concurrency, burst=burst)
        stop_on_signals(worker)
        logger.debug("Worker %s takes tasks from %s", worker.id, ", ".join(worker.queue_names))
        tasks = f"tasks of {', '.join(names)}" if names else "tasks"
        self.stdout.write(f"ready, runs {tasks}, {concurrency} at a time")
        self.stdout.flush()
        worker_began()
        in_order = worker.run()
        worker_ended()
        if not in_order:
            # Not sys.exit(): that would wait for the very tasks that were given back.
            logging.shutdown()
            os._exit(1)


def checked_queue_names(text: str, backend: RedisBackend) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if backend.queues and (unknown := set(names) - backend.queues):
        raise CommandError(f"Unknown queues {sorted(unknown)}: TASKS has {sorted(backend.queues)}")
    return names


def check_redis() -> None:
    try:
        get_client().ping()
    except RedisError as error:
        raise CommandError(
            f"Redis does not answer ({error}): start it first; "
            "a site without REDIS_URL starts its own with `manage.py serve`"
        ) from error


def quiet_django_tasks() -> None:
    """Its two lines for each task at level INFO would drown the rest; ours is one, at DEBUG."""
    theirs = logging.getLogger("django_tasks")
    if theirs.level == logging.NOTSET:
        theirs.setLevel(logging.WARNING)


def stop_on_signals(worker: Worker) -> None:
    asked: list[int] = []

    def stop(number: int, _frame: FrameType | None) -> None:
        if asked:
            os._exit(128 + number)
        asked.append(number)
        # In a thread: the interrupted one may hold the very lock that stop() needs.
        threading.Thread(target=worker.stop).start()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
