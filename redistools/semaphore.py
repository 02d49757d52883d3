"""A fair counting semaphore over many processes: first come, first in.

with semaphore(get_client(), "exports", limit=3, lease=30, wait=10) as slot: … slot.refresh()

Every ticket, waiting or inside, stands in one queue; its first `limit` are inside. A slot is a
lease: a process that dies inside loses it when the lease ends, one that dies waiting after a few
seconds. It can't stop a holder that stalls too long; its `refresh` returns False.
"""

import logging
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from redis.exceptions import RedisError

from . import keys
from .client import Client
from .scripts import Argument, Batch, Script

POLL_SECONDS = 0.05
# Long enough to survive a short stall, short enough not to hold up those further back.
WAITING_LEASE_MS = 5_000

logger = logging.getLogger(__name__)

_script = Script(__file__, "semaphore")


class SemaphoreFull(Exception):  # noqa: N818 - reads as what happened
    """No slot came free for as long as we were willing to wait."""


@dataclass(frozen=True)
class Semaphore:
    """The single steps; `semaphore()` combines them. The caller chooses unique tickets.

    Each step is atomic, one round trip, O(log n) in the queue's length, and may be sent again.
    """

    client: Client
    name: str
    _: KW_ONLY
    limit: int
    lease: float

    def __post_init__(self) -> None:
        if self.limit < 1 or self.lease < 0.001:
            raise ValueError(
                f"A semaphore needs a limit of at least 1 and a lease of at least 1 ms, "
                f"got limit={self.limit}, lease={self.lease}"
            )

    def enter(self, ticket: str, *, now_ms: int | None = None) -> bool:
        """Is the ticket inside? If not, it stays in line for as long as it keeps asking."""
        return bool(self._run("enter", ticket, now_ms))

    def enter_as_newest(self, ticket: str, *, now_ms: int | None = None) -> list[str]:
        """Lets the ticket in at once; returns those it pushed out. Not beside `enter`."""
        pushed_out: list[str] = self._run("enter_as_newest", ticket, now_ms)
        return pushed_out

    def refresh(self, ticket: str, *, now_ms: int | None = None) -> bool:
        """Restarts the lease; False if it had ended or the ticket was pushed out."""
        return bool(self._run("refresh", ticket, now_ms))

    def refresh_in(self, batch: Batch, ticket: str) -> None:
        batch.call(_script, self._keys(), self._arguments("refresh", ticket, None))

    def leave(self, ticket: str, *, now_ms: int | None = None) -> bool:
        """Gives the slot back, inside or in line; False if it was gone already."""
        return bool(self._run("leave", ticket, now_ms))

    def is_taken(self) -> bool:
        """Is a ticket inside or in line? O(1)."""
        batch = Batch(self.client)
        batch.add("EXISTS", keys.semaphore_tickets(self.name))
        return batch.run() == [1]

    def _run(self, action: str, ticket: str, now_ms: int | None) -> Any:
        return _script(self.client, self._keys(), self._arguments(action, ticket, now_ms))

    def _keys(self) -> list[str]:
        return [keys.semaphore_tickets(self.name), keys.semaphore_leases(self.name)]

    def _arguments(self, action: str, ticket: str, now_ms: int | None) -> list[Argument]:
        lease_ms, clock = int(self.lease * 1000), "" if now_ms is None else now_ms
        return [action, ticket, self.limit, lease_ms, WAITING_LEASE_MS, clock]


@dataclass(frozen=True)
class Slot:
    semaphore: Semaphore
    ticket: str = field(default_factory=lambda: uuid.uuid4().hex)

    def refresh(self) -> bool:
        return self.semaphore.refresh(self.ticket)

    def _wait(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while not (inside := self.semaphore.enter(self.ticket)):
            if time.monotonic() >= deadline:
                break
            time.sleep(POLL_SECONDS)
        return inside

    def _leave(self) -> None:
        try:
            self.semaphore.leave(self.ticket)
        except RedisError as error:
            # The work is done by now: an error here would only hide its outcome.
            words = "%r could not be left, its lease will run out: %s"
            logger.warning(words, self.semaphore.name, error)


@contextmanager
def semaphore(
    client: Client, name: str, *, limit: int, lease: float, wait: float
) -> Iterator[Slot]:
    """Holds one of `limit` slots for the block; raises SemaphoreFull after `wait` seconds."""
    slot = Slot(Semaphore(client, name, limit=limit, lease=lease))
    try:
        if not slot._wait(wait):
            raise SemaphoreFull(f"All {limit} slots of {name!r} were taken for {wait} s")
        yield slot
    finally:
        slot._leave()
