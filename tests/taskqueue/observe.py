"""What a test looks at: the marks that tasks leave, and the parts of a queue."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch
from taskqueue import drain as draining
from taskqueue.store import Claim, Ending, Queue
from tests.taskqueue.tasks import marks


def drain(**options: Any) -> int:
    """Without the outbox, so that a test needs no database."""
    return draining.drain(with_outbox=False, **options)


def marked(name: str) -> list[str]:
    return [str(mark) for mark in get_client().lrange(marks(name), 0, -1)]


def later(**delta: float) -> datetime:
    return datetime.now(UTC) + timedelta(**delta)


def size(part: str, queue: str = "default") -> int:
    return int(get_client().zcard(keys.queue(queue, part)))


def field(task_id: str, name: str) -> str | None:
    value = get_client().hget(keys.queued_task("default", task_id), name)
    return None if value is None else str(value)


def claim(queue: Queue, *, most: int = 1, lease: float = 30.0, worker: str = "w") -> list[Claim]:
    batch = Batch(queue.client)
    queue.add_claim(batch, most=most, lease=lease, worker=worker, nap=0.0)
    return queue.claims(batch.run()[0]).tasks


def finish(queue: Queue, endings: Sequence[Ending]) -> list[str]:
    """The ids that were refused."""
    batch = Batch(queue.client)
    queue.add_endings(batch, endings, most_failed=100)
    return queue.refused(batch.run()[0])


def done(claim: Claim) -> Ending:
    life = Queue(claim.queue_name).believed_life()
    return Ending(claim, "done", "[]", "{}", keep=60, life=life)
