"""A lock that processes on many hosts share: redis-py's, with our names and errors.

with lock(get_client(), "rebuild", timeout=30) as held: … held.extend()

For work of unknown length, `with lock(…) as held, held.kept():` extends it from a thread.

A holder that stalls beyond its timeout, or a failover of Redis, lets a second one in. So what runs
inside must stay correct when it runs twice.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from redis.exceptions import LockError, RedisError
from redis.lock import Lock

from . import keys
from .client import Client

POLL_SECONDS = 0.05
# Two extensions may fail before a kept lock runs out.
EXTENSIONS_PER_TIMEOUT = 3

logger = logging.getLogger(__name__)


class LockNotAcquired(Exception):  # noqa: N818 - reads as what happened
    """Another held the lock for as long as we were willing to wait."""


class LockLost(Exception):  # noqa: N818 - reads as what happened
    """The lock ran out before the work was done; another may hold it by now."""


class HeldLock:
    def __init__(self, name: str, lock: Lock, *, timeout: float) -> None:
        self.name = name
        self._lock = lock
        self._timeout = timeout

    def extend(self) -> None:
        """Restarts the timeout. Atomic, O(1). Raises LockLost if it had run out."""
        try:
            self._lock.reacquire()
        except LockError as error:
            raise LockLost(f"The lock {self.name!r} ran out after its {self._timeout} s") from error

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Extends it from a thread until the block ends. If lost anyway, that is only logged."""
        ended = Event()
        keeper = Thread(target=self._keep_until, args=[ended], name=f"keeps {self.name}")
        keeper.start()
        try:
            yield
        finally:
            ended.set()
            keeper.join()

    def _keep_until(self, ended: Event) -> None:
        while not ended.wait(self._timeout / EXTENSIONS_PER_TIMEOUT):
            try:
                self.extend()
            except (LockLost, RedisError) as error:
                logger.warning("The lock %r could not be extended: %s", self.name, error)

    def release(self) -> None:
        """Releases our own lock, never a later holder's. Atomic, O(1)."""
        try:
            self._lock.release()
        except RedisError as error:
            # The work is done by now: an error here would only hide its outcome.
            logger.warning("The lock %r could not be released: %s", self.name, error)


@contextmanager
def lock(
    client: Client, name: str, *, timeout: float, wait: float | None = None
) -> Iterator[HeldLock]:
    """Holds the lock for the block, at most `timeout` seconds, unless extended.

    Polls for it for `wait` seconds, by default as long as one holder may keep it; then raises
    LockNotAcquired. A lock that ran out inside the block is logged at its end, not raised; call
    `extend()` before a step that must not run unlocked.
    """
    if timeout < 0.001:
        raise ValueError(f"A lock needs a timeout of at least 1 ms, got {timeout} s")
    patience = timeout if wait is None else wait
    # Not thread-local: this object belongs to one holder, who may use several threads.
    shared = client.lock(keys.lock(name), timeout=timeout, sleep=POLL_SECONDS, thread_local=False)
    if not shared.acquire(blocking_timeout=patience):
        raise LockNotAcquired(f"The lock {name!r} was still held by another after {patience} s")
    held = HeldLock(name, shared, timeout=timeout)
    try:
        yield held
    finally:
        held.release()
