"""Work that takes long, done so that the event loop has time for everybody else."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

AT_ONCE = 2
SLICE_SECONDS = 0.002


class Turns:
    """A few work at once, and of each user one; the others wait in the order they came."""

    def __init__(self) -> None:
        self._anybody = asyncio.Semaphore(AT_ONCE)
        self._users: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def turn_of(self, user_id: int) -> AsyncIterator["Slice"]:
        own = self._users.setdefault(user_id, asyncio.Lock())
        async with own, self._anybody:
            yield Slice()


class Slice:
    """How long somebody may work before the loop goes round."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    async def pause_if_over(self) -> None:
        if time.monotonic() - self._began >= SLICE_SECONDS:
            await asyncio.sleep(0)
            self._began = time.monotonic()
