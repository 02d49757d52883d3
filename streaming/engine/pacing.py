"""Long work in small pieces, so that the event loop has time for everybody else."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

REPLAYS_AT_ONCE = 2
SLICE_SECONDS = 0.002


class TimeBudget:
    def __init__(self) -> None:
        self._began = time.monotonic()

    async def pause_if_over(self) -> None:
        if time.monotonic() - self._began >= SLICE_SECONDS:
            await asyncio.sleep(0)
            self._began = time.monotonic()


class ReplayQueue:
    """Runs a few replays at once, and one for each user; the others wait in order of arrival."""

    def __init__(self) -> None:
        self._all = asyncio.Semaphore(REPLAYS_AT_ONCE)
        self._users: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def turn_of(self, user_id: int) -> AsyncIterator[TimeBudget]:
        own = self._users.setdefault(user_id, asyncio.Lock())
        async with own, self._all:
            yield TimeBudget()
