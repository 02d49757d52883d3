"""Failed tasks, which are not tried again. The newest `MAX_FAILED` of a queue are kept."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch, Script

from .store import Queue

retry_script = Script(__file__, "retry")
discard_script = Script(__file__, "discard")

FIELDS = ("body", "errors", "workers")
UNREADABLE = "(unreadable)"


@dataclass(frozen=True)
class StoredFailedTask:
    id: str
    queue_name: str
    failed_at: datetime
    task_path: str
    args: str
    kwargs: str
    enqueued_at: datetime | None
    attempts: int
    # The exception's class and the traceback of each failure, the oldest first.
    errors: Sequence[tuple[str, str]]

    @property
    def error(self) -> str:
        if not self.errors:
            return ""
        return self.errors[-1][1].strip().rpartition("\n")[2]


def count(queue_name: str) -> int:
    return int(get_client().zcard(keys.queue(queue_name, "failed")))


def newest(queue_name: str, *, start: int, limit: int) -> list[StoredFailedTask]:
    """A page, the newest first. Two round trips, O(log n + limit)."""
    client, key = get_client(), keys.queue(queue_name, "failed")
    entries: Any = client.zrevrange(key, start, start + limit - 1, withscores=True)
    return _read(queue_name, entries)


def get(queue_name: str, task_id: str) -> StoredFailedTask | None:
    score = get_client().zscore(keys.queue(queue_name, "failed"), task_id)
    return None if score is None else next(iter(_read(queue_name, [(task_id, score)])), None)


def retry(queue_name: str, task_ids: Iterable[str]) -> int:
    """Makes tasks ready again, with all their attempts before them; returns how many. Atomic."""
    queue = Queue(queue_name)
    return int(retry_script(queue.client, queue.keys, [queue.now, *task_ids]))


def discard(queue_name: str, task_ids: Iterable[str]) -> int:
    queue = Queue(queue_name)
    return int(discard_script(queue.client, queue.keys, [*task_ids]))


def _read(queue_name: str, entries: Sequence[tuple[str, float]]) -> list[StoredFailedTask]:
    batch = Batch(get_client())
    for task_id, _ in entries:
        batch.add("HMGET", keys.queued_task(queue_name, task_id), *FIELDS)
    return [
        _failed_task(queue_name, task_id, failed_at, *fields)
        for (task_id, failed_at), fields in zip(entries, batch.run(), strict=True)
    ]


def _failed_task(
    queue_name: str,
    task_id: str,
    failed_at: float,
    body: str | None,
    errors: str | None,
    workers: str | None,
) -> StoredFailedTask:
    fields = _decoded(body)
    enqueued_at = fields.get("enqueued_at")
    return StoredFailedTask(
        id=task_id,
        queue_name=queue_name,
        failed_at=datetime.fromtimestamp(failed_at / 1000, UTC),
        task_path=str(fields.get("task", UNREADABLE)),
        args=json.dumps(fields["args"], indent=2) if "args" in fields else body or UNREADABLE,
        kwargs=json.dumps(fields.get("kwargs", {}), indent=2),
        enqueued_at=datetime.fromtimestamp(enqueued_at, UTC) if enqueued_at else None,
        attempts=len((workers or "").split()),
        errors=[(path, traceback) for path, traceback in json.loads(errors or "[]")],
    )


def _decoded(body: str | None) -> dict[str, Any]:
    """Poison ends up here too, so nothing can be taken for granted."""
    try:
        fields = json.loads(body or "")
    except ValueError:
        return {}
    return fields if isinstance(fields, dict) else {}
