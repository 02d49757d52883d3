"""Which outbox rows are done: marks in Redis, written a moment later and many at once.

A mark only saves a worker from repeating work, so nobody waits for it. But it proves that the work
survived, if both went into one log: none is written to a server that died since the work began
(`redistools/life.py`).
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
from redistools.life import believed_life, correct
from redistools.scripts import Batch, Script

# Much shorter than a worker's patience with rows that are not marked.
PAUSE_SECONDS = 0.05
# Longer than the rows that they are about.
KEPT = timedelta(minutes=10)

mark_done_script = Script(__file__, "mark_done")

logger = logging.getLogger(__name__)


class _Waiting:
    def __init__(self) -> None:
        self._ids: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._some = threading.Event()
        self._writer: threading.Thread | None = None

    def add(self, ids: Collection[uuid.UUID], *, life: str) -> None:
        with self._lock:
            self._ids[keys.outbox_done(), life] += [id_.hex for id_ in ids]
            if self._writer is None:
                self._writer = threading.Thread(target=self._write_for_ever, daemon=True)
                self._writer.start()
        self._some.set()

    def write(self) -> None:
        """Returns once Redis has all that were added before. One round trip."""
        with self._writing:
            self._write()

    def _write(self) -> None:
        with self._lock:
            marks, self._ids = self._ids, defaultdict(list)
        client = get_client()
        batch, now = Batch(client), time.time()
        for (key, life), names in marks.items():
            batch.call(mark_done_script, [key], [life, now, *names])
        try:
            lives = batch.run()
        except RedisError as error:
            logger.warning("%d tasks will be repeated: %s", sum(map(len, marks.values())), error)
            return
        for (key, _), life in zip(marks, lives, strict=True):
            correct(client, key, life)

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


def life_of_marks() -> str:
    """To ask for before the work, and to hand to `mark_done` after it."""
    return believed_life(get_client(), keys.outbox_done())


def mark_done(ids: Collection[uuid.UUID], *, life: str) -> None:
    """Returns at once. Refused later if the server died since the work began, so it is repeated."""
    if ids:
        _waiting.add(ids, life=life)


def done_among(ids: Collection[uuid.UUID]) -> dict[uuid.UUID, datetime]:
    """When each was marked, if it was. One round trip, and one for marks of ours."""
    _waiting.write()
    names = [id_.hex for id_ in ids]
    marks: list[float | None] = get_client().zmscore(keys.outbox_done(), names)
    return {
        id_: datetime.fromtimestamp(mark, UTC)
        for id_, mark in zip(ids, marks, strict=True)
        if mark is not None
    }


def forget_old() -> None:
    oldest = time.time() - KEPT.total_seconds()
    get_client().zremrangebyscore(keys.outbox_done(), "-inf", oldest)
