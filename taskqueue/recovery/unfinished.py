"""What the queues have yet to do, so that SQL can do it again should Redis lose its memory."""

import uuid
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django_tasks import TaskResultStatus, task_backends

from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch

from ..backend import RedisBackend, get_backend
from ..models import OutboxEntry
from ..stats import oldest_script
from ..store import Queue

UNFINISHED = {TaskResultStatus.READY.value, TaskResultStatus.RUNNING.value}


def unfinished_among(entries: Iterable[OutboxEntry]) -> set[uuid.UUID]:
    """Those whose tasks wait, run or will be tried again. One round trip, O(1) for each."""
    found, batch = list(entries), Batch(get_client())
    for entry in found:
        shard = get_backend(entry.backend).shard_of(entry.as_message())
        batch.add("HGET", keys.queued_task(shard, entry.id.hex), "status")
    states: list[Any] = batch.run()
    return {it.id for it, state in zip(found, states, strict=True) if state in UNFINISHED}


def longest_wait() -> timedelta:
    """For how long the oldest of all ready tasks has waited. One round trip, O(log n)."""
    batch = Batch(get_client())
    for backend in task_backends.all():
        for name in backend.all_shards() if isinstance(backend, RedisBackend) else ():
            queue = Queue(name)
            batch.call(oldest_script, queue.keys, [queue.now])
    return timedelta(milliseconds=max([0, *batch.run()]))
