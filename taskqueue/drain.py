"""Runs what is queued in the calling thread: for tests, and for scripts that need no worker."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django_tasks import DEFAULT_TASK_BACKEND_ALIAS

from . import outbox
from .backend import get_backend
from .store import Queue
from .working.lane import Lane
from .working.runner import Runner


def drain(
    queue_names: Iterable[str] = (),
    *,
    backend: str = DEFAULT_TASK_BACKEND_ALIAS,
    now: datetime | None = None,
    with_outbox: bool = True,
) -> int:
    """Runs every task that is due, and those which these queue, until none is; returns how many.

    `now` moves the queue's clock, for delayed tasks and retries. Outbox entries are relayed first,
    whatever their age, so a test that never commits sees its tasks run. Failures are logged and
    retried, as in a worker.
    """
    runner = Runner(get_backend(backend))
    names = queue_names or runner.backend.queue_names()
    shards = [shard for name in names for shard in runner.backend.shards(name)]
    queues = [Queue(shard, now=now) for shard in shards]
    lane = Lane(runner, queues, worker_id="drain")
    ran = 0
    while True:
        if with_outbox:
            outbox.sweep(older_than=timedelta(0), goes_last=False)
        if not lane.exchange().tasks:
            return ran
        ran += lane.run_pending()
