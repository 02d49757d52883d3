"""How a task is started. Each way says what becomes of it in a crash.

- `on_commit`: written to SQL with the transaction, queued after its commit. It runs, for certain.
- `run_on_commit`: the same, but it runs in this process; in a worker if that fails.
- `parts_on_commit`: the same for many items; workers do what is more than one part.
- `in_redis`: queued at once, in Redis alone, and lost with it. For what is done again anyway.
- `with_batch`: the same, along with other commands, whose task is repeated as a whole.

Options go through `task.using(run_after=…, unique_key=…)`.
"""

import logging
import uuid
from collections.abc import Callable, Iterable
from functools import partial
from itertools import islice
from threading import local
from typing import Any, Concatenate, ParamSpec, TypeVar

from django.db import transaction
from django_tasks import TaskResult
from django_tasks.base import Task
from redis.exceptions import RedisError

from redistools.chunks import chunks
from redistools.scripts import Batch

from .backend import Call, get_backend
from .exceptions import QueueUnavailable
from .models import OutboxEntry
from .once import as_task
from .outbox import relay, write_entries
from .recovery.marks import life_of_marks, mark_done

P = ParamSpec("P")
T = TypeVar("T")

# Items that one task handles.
SOME = 1_000

logger = logging.getLogger(__name__)


class _Uncommitted(local):
    """Ids written by this thread since its last relay; some may have been rolled back."""

    def __init__(self) -> None:
        self.ids = list[uuid.UUID]()


_uncommitted = _Uncommitted()


def call(task: Task[P, Any], *args: P.args, **kwargs: P.kwargs) -> Call:
    return Call(task, args, kwargs)


def on_commit(task: Task[P, T], *args: P.args, **kwargs: P.kwargs) -> TaskResult[T]:
    """Queues a task when the current transaction commits, or as soon as Redis is back."""
    return all_on_commit([Call(task, args, kwargs)])[0]


def all_on_commit(calls: Iterable[Call]) -> list[TaskResult[Any]]:
    """One INSERT now; after the commit one round trip to Redis for the whole transaction."""
    entries, results = write_entries(calls)
    _uncommitted.ids += [entry.id for entry in entries]
    transaction.on_commit(_relay_committed, robust=True)
    return results


def run_on_commit(task: Task[P, Any], *args: P.args, **kwargs: P.kwargs) -> None:
    """Does a task's work in this process right after the commit, and for certain.

    For work that the caller should see done, such as the first deliveries of a status. If the
    process dies or Redis is away, a worker does it again.
    """
    do_on_commit(partial(task.call, *args, **kwargs), task, *args, **kwargs)


def do_on_commit(
    work: Callable[[], object], task: Task[P, Any], *args: P.args, **kwargs: P.kwargs
) -> None:
    """`run_on_commit`, but in this process `work` does it, which may know more than the ids."""
    (entry,), _ = write_entries([Call(task, args, kwargs)])

    def run() -> None:  # not a partial: Django logs the name of what fails
        life = life_of_marks()
        try:
            with as_task(entry.id.hex):
                work()
        except RedisError as error:
            logger.warning("%s is left to a worker: %s", task.name, error)
        else:
            mark_done([entry.id], life=life)

    transaction.on_commit(run, robust=True)


def parts_on_commit(
    task: Task[Concatenate[list[T], P], Any],
    items: Iterable[T],
    *args: P.args,
    **kwargs: P.kwargs,
) -> None:
    """For many items: the first `SOME` are done like `run_on_commit`, the rest like `on_commit`, as
    many at a time.
    """
    parts = chunks(items, SOME)
    for first in islice(parts, 1):
        run_on_commit(task, first, *args, **kwargs)
    all_on_commit([Call(task, (part, *args), kwargs) for part in parts])


def in_redis(task: Task[P, T], *args: P.args, **kwargs: P.kwargs) -> TaskResult[T]:
    """Queues a task in one round trip. Raises QueueUnavailable when Redis can't be reached."""
    return all_in_redis(task.backend, [Call(task, args, kwargs)])[0]


def all_in_redis(backend: str, calls: Iterable[Call]) -> list[TaskResult[Any]]:
    return get_backend(backend).enqueue_many(calls)


def with_batch(batch: Batch, task: Task[P, Any], *args: P.args, **kwargs: P.kwargs) -> None:
    """Queues a task as part of a longer batch: no round trip of its own."""
    get_backend(task.backend).add(batch, Call(task, args, kwargs))


def _relay_committed() -> None:
    """Runs once for each call in the transaction; the first run takes all of them along."""
    ids, _uncommitted.ids = _uncommitted.ids, []
    if not ids:
        return
    try:
        # Read again what the commit left: entries of a rolled-back savepoint are gone.
        relay(OutboxEntry.objects.filter(id__in=ids))
    except QueueUnavailable as error:
        logger.warning("%d tasks stay in the outbox: %s", len(ids), error)
