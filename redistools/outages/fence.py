"""Waiting for the replicas of a new master.

With `min-replicas-to-write` (docs/operations.md, fencing) a master refuses writes that no replica
would hear of. After a failover that lasts until a replica has joined: seconds, with a Redis 7 that
copies everything to it first. Until then the command is sent again.
"""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from redis.backoff import ExponentialBackoff
from redis.exceptions import ResponseError

T = TypeVar("T")

# Redis 6.2 quotes the code when a script raises it.
REFUSED = re.compile(r"(?:^|: -)NOREPLICAS ")
PAUSES = ExponentialBackoff(cap=0.4, base=0.05)
# A refusal after this much silence is the first of another outage.
SILENCE_SECONDS = 5.0


def is_fenced(answer: object) -> bool:
    return isinstance(answer, ResponseError) and REFUSED.search(str(answer)) is not None


class Fence:
    """Shared by all commands of a client, which wait only while the outage is younger than
    `patience`.

    A master that lost its replicas for good refuses at once from then on: every small write would
    hold up a page that could be read.
    """

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._first = self._last = float("-inf")

    def call(self, do: Callable[[], T]) -> T:
        tries = 0
        while True:
            try:
                return do()
            except ResponseError as error:
                tries += 1
                if not self._may_open(error):
                    raise
            time.sleep(PAUSES.compute(tries))

    async def call_async(self, do: Callable[[], Awaitable[T]]) -> T:
        tries = 0
        while True:
            try:
                return await do()
            except ResponseError as error:
                tries += 1
                if not self._may_open(error):
                    raise
            await asyncio.sleep(PAUSES.compute(tries))

    def _may_open(self, error: ResponseError) -> bool:
        if not is_fenced(error):
            return False
        now = time.monotonic()
        if now > self._last + SILENCE_SECONDS:
            self._first = now
        self._last = now
        return now < self._first + self._patience
