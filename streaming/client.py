"""One open stream: what it asked for, and what waits to be written to it."""

import asyncio
import contextlib
import time
import uuid
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from . import events, notices
from .allowance import Allowance
from .buffer import Buffer
from .dialects import Dialect
from .event import Event
from .matching import Filter
from .notices import Goodbye
from .visitor import Visitor

Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

WARN_AT_PERCENT = 60
SECONDS_BETWEEN_WARNINGS = 300
# A client that takes nothing for so long, while something waits for it, is cut off.
STALL_SECONDS = 30.0
# After the goodbye a client has so long to read what is left.
PARTING_SECONDS = 5.0


class Client:
    """The hub offers events and never waits; `write_to` writes as fast as the client reads."""

    def __init__(
        self,
        dialect: Dialect,
        wanted: Filter,
        *,
        visitor: Visitor,
        stream_name: str,
        home_of: int | None = None,
        stall_warnings: bool = False,
        statuses_per_second: int = 0,
    ) -> None:
        self.dialect = dialect
        self.wanted = wanted
        self.visitor = visitor
        self.stream_name = stream_name
        self.home_of = home_of
        self.follows_changed = 0
        """How often `wanted.authors` was changed by a follow or unfollow."""
        self.ticket = uuid.uuid4().hex
        self.allowance = Allowance(statuses_per_second)
        self.buffer = Buffer()
        self.position = 0
        """Events up to here are not for this client, or it has them already."""
        self.next_keep_alive = time.monotonic() + dialect.keep_alive_seconds
        self.closed = False
        self._last_words = b""
        self._stall_warnings = stall_warnings
        self._next_warning = 0.0
        self._told_withheld = 0
        self._writes_since: float | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._writer: asyncio.Task[Any] | None = None
        self._parting: asyncio.TimerHandle | None = None

    def offer(self, event: Event) -> None:
        """An event that it asked for. Any number of times: it gets each once."""
        if event.position <= self.position:
            return
        self.position = event.position
        if event.kind != events.POST or self.allowance.take():
            self.put(self.dialect.event(event))

    def put(self, message: bytes) -> None:
        """Full: the client is cut off, whatever it has not read is dropped."""
        if self.closed:
            return
        self.buffer.put(message)
        percent = self.buffer.percent_full
        if percent >= 100:
            self._cut_off("You read too slowly.")
        elif percent >= WARN_AT_PERCENT and self._stall_warnings:
            self._warn(percent)
        self._wake()

    def check_progress(self, now: float) -> None:
        """Cut off one that has stopped reading: its buffer may take hours to fill up."""
        if self._writes_since is not None and now >= self._writes_since + STALL_SECONDS:
            self._cut_off(f"You read nothing for {STALL_SECONDS:g} s.")

    def keep_alive(self) -> None:
        """A client that has plenty to read needs no sign of life."""
        if not self.buffer:
            self.put(self.dialect.keep_alive(self.position))

    def tell_withheld(self) -> None:
        if self.allowance.withheld > self._told_withheld:
            self._told_withheld = self.allowance.withheld
            self.put(self.dialect.notice(notices.limit(self._told_withheld)))

    def close(self, goodbye: Goodbye, reason: str) -> None:
        """Say why, behind all that waits; then end. The second reason comes too late."""
        if self.closed:
            return
        self.closed = True
        notice = notices.disconnect(goodbye, self.stream_name, reason)
        self._last_words = self.dialect.notice(notice)
        self.buffer.put(self._last_words)
        self._wake()
        if self._writer is not None:
            # One that does not read at all would never let us finish.
            loop = asyncio.get_running_loop()
            self._parting = loop.call_later(PARTING_SECONDS, self._writer.cancel)

    async def write_to(self, send: Send) -> None:
        """Until the client leaves (then the server cancels us) or is closed."""
        self._writer = asyncio.current_task()
        try:
            while not self.closed:
                await self._write_all(send)
                await self._wait()
            await self._write_all(send)
            await send(_body(b"", is_last=True))
        except asyncio.CancelledError:
            await self._part(send)
            raise
        finally:
            # The server goes on with the task: it may serve another request of the connection.
            if self._parting is not None:
                self._parting.cancel()

    async def replay(self, event: Event) -> None:
        """An event out of the log: as fast as the client reads, and none withheld."""
        await self._room()
        self.position = event.position
        self.put(self.dialect.event(event))

    async def _part(self, send: Send) -> None:
        """Write the end without waiting: should the client read on after all, it finds it."""
        if self.closed:
            rest = self._last_words if self.buffer else b""
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(send(_body(rest, is_last=True)), timeout=0.1)

    def _cut_off(self, reason: str) -> None:
        if not self.closed:
            self.buffer.clear()
            self.close(Goodbye.STALL, reason)

    async def _room(self) -> None:
        while self.buffer.percent_full >= 50 and not self.closed:
            await asyncio.sleep(0.05)

    def _warn(self, percent: int) -> None:
        now = time.monotonic()
        if now >= self._next_warning:
            self._next_warning = now + SECONDS_BETWEEN_WARNINGS
            self.buffer.put_first(self.dialect.notice(notices.falling_behind(percent)))

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def _write_all(self, send: Send) -> None:
        while self.buffer:
            self._writes_since = time.monotonic()
            await send(_body(self.buffer.take()))
        self._writes_since = None

    async def _wait(self) -> None:
        """For something to write, or for the end."""
        if self.buffer or self.closed:
            return
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None


def _body(content: bytes, *, is_last: bool = False) -> MutableMapping[str, Any]:
    return {"type": "http.response.body", "body": content, "more_body": not is_last}
