"""Which outbox rows are done: marks in Redis, written a moment later and many at once.

A mark only saves a worker from doing the work again, which changes nothing. So nobody waits for it.
"""

import logging
import os
import threading
import time
import uuid
from collections import defaultdict
from collections.abc import Collection
from datetime import UTC, datetime, timedelta

from redis.exceptions import RedisError

from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch

# Much shorter than a worker's patience with rows that are not marked.
PAUSE_SECONDS = 0.05
# Longer than the rows that they are about.
KEPT = timedelta(minutes=10)

logger = logging.getLogger(__name__)


class _Waiting:
    """Marks of this process that Redis does not know yet."""

    def __init__(self) -> None:
        self._ids: defaultdict[str, list[str]] = defaultdict(list)
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._some = threading.Event()
        self._writer: threading.Thread | None = None

    def add(self, ids: Collection[uuid.UUID]) -> None:
        with self._lock:
            self._ids[keys.outbox_done()] += [id_.hex for id_ in ids]
            if self._writer is None:
                self._writer = threading.Thread(target=self._write_for_ever, daemon=True)
                self._writer.start()
        self._some.set()

    def write(self) -> None:
        """All that were added before; returns once Redis has them. One round trip, O(log n) for
        each.
        """
        with self._writing:
            self._write()

    def _write(self) -> None:
        with self._lock:
            marks, self._ids = self._ids, defaultdict(list)
        batch, now = Batch(get_client()), time.time()
        for key, names in marks.items():
            batch.add("ZADD", key, *(part for name in names for part in (now, name)))
        try:
            batch.run()
        except RedisError as error:
            logger.warning("%d tasks will be repeated: %s", sum(map(len, marks.values())), error)

    def _write_for_ever(self) -> None:
        while self._some.wait():
            time.sleep(PAUSE_SECONDS)
            self._some.clear()
            self.write()


_waiting = _Waiting()


def _begin_in_child() -> None:
    """A forked process has no thread that writes; the marks are its parent's."""
    global _waiting
    _waiting = _Waiting()


os.register_at_fork(after_in_child=_begin_in_child)


def mark_done(ids: Collection[uuid.UUID]) -> None:
    """Returns at once."""
    if ids:
        _waiting.add(ids)


def done_among(ids: Collection[uuid.UUID]) -> dict[uuid.UUID, datetime]:
    """When each was marked; without those that are not. One round trip, O(1) for each; another if
    this process has marks that Redis does not know yet.
    """
    _waiting.write()
    names = [id_.hex for id_ in ids]
    marks: list[float | None] = get_client().zmscore(keys.outbox_done(), names)
    return {
        id_: datetime.fromtimestamp(mark, UTC)
        for id_, mark in zip(ids, marks, strict=True)
        if mark is not None
    }


def forget_old() -> None:
    """O(log n + removed)."""
    oldest = time.time() - KEPT.total_seconds()
    get_client().zremrangebyscore(keys.outbox_done(), "-inf", oldest)
