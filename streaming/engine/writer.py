"""What waits to be written to one client, and how it is written."""

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from ..events import cut_off
from ..formats import Dialect
from . import notices
from .notices import Goodbye

Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

MAX_BYTES = 1_000_000
MAX_MESSAGES = 2_000
# The most in one write, which a client that stops reading holds on top of its buffer.
WRITE_BYTES = 64_000
WARN_AT_PERCENT = 60
SECONDS_BETWEEN_WARNINGS = 300
# A client that reads nothing for this long, while something waits for it, is cut off.
STALL_SECONDS = 30.0
WARN_AFTER_SECONDS = STALL_SECONDS / 2
# After the goodbye a client has this long to read what is left.
PARTING_SECONDS = 5.0


class Buffer:
    """Bounded in bytes and in messages, which are shared by all streams that get them."""

    __slots__ = ("_messages", "_urgent", "bytes")

    def __init__(self) -> None:
        self._messages: deque[bytes] = deque()
        self._urgent: list[bytes] = []
        self.bytes = 0

    def __len__(self) -> int:
        return len(self._messages) + len(self._urgent)

    @property
    def percent_full(self) -> int:
        return max(100 * self.bytes // MAX_BYTES, 100 * len(self._messages) // MAX_MESSAGES)

    @property
    def urgent(self) -> bytes:
        return b"".join(self._urgent)

    def put(self, message: bytes) -> None:
        self._messages.append(message)
        self.bytes += len(message)

    def put_first(self, message: bytes) -> None:
        """Goes ahead of what waits, and survives `clear`. Not counted, so use it sparingly."""
        self._urgent.append(message)

    def take(self) -> bytes:
        if self._urgent:
            return self._urgent.pop(0)
        taken = [self._messages.popleft()]
        size = len(taken[0])
        while self._messages and size + len(self._messages[0]) <= WRITE_BYTES:
            taken.append(self._messages.popleft())
            size += len(taken[-1])
        self.bytes -= size
        return b"".join(taken)

    def clear(self) -> None:
        self._messages.clear()
        self.bytes = 0


class Writer:
    """`put` never waits; `write_to` writes as fast as the client reads."""

    def __init__(self, dialect: Dialect, stream_name: str, *, stall_warnings: bool) -> None:
        self.buffer = Buffer()
        self.closed = False
        self.next_keep_alive = time.monotonic() + dialect.keep_alive_seconds
        self._dialect = dialect
        self._stream_name = stream_name
        self._stall_warnings = stall_warnings
        self._next_warning = 0.0
        self._last_words = b""
        self._writes_since: float | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._task: asyncio.Task[Any] | None = None
        self._parting: asyncio.TimerHandle | None = None

    def put(self, message: bytes) -> None:
        """Cuts off a client whose buffer is full, and drops what it has not read."""
        if self.closed:
            return
        self.buffer.put(message)
        percent = self.buffer.percent_full
        if percent >= 100:
            self._cut_off("You read too slowly.")
        elif percent >= WARN_AT_PERCENT:
            self._warn("You read too slowly: at 100 % the stream is closed.", time.monotonic())
        self._wake()

    async def wait_for_room(self) -> None:
        while self.buffer.percent_full >= 50 and not self.closed:
            await asyncio.sleep(0.05)

    def keep_alive(self, position: int, now: float) -> None:
        self.next_keep_alive = now + self._dialect.keep_alive_seconds
        if not self.buffer:
            self.put(self._dialect.keep_alive(position))

    def check_progress(self, now: float) -> None:
        """Cuts off a client that has stopped reading: its buffer may take hours to fill up."""
        if self._writes_since is None or self.closed:
            return
        stalled = now - self._writes_since
        if stalled >= STALL_SECONDS:
            self._cut_off(f"You read nothing for {STALL_SECONDS:g} s.")
        elif stalled >= WARN_AFTER_SECONDS:
            self._warn(f"You read nothing: after {STALL_SECONDS:g} s the stream is closed.", now)

    def close(self, goodbye: Goodbye, reason: str) -> None:
        """Says why, behind everything that waits, and ends. Only the first reason counts."""
        if self.closed:
            return
        self.closed = True
        notice = notices.disconnect(goodbye, self._stream_name, reason)
        self._last_words = self._dialect.notice(notice)
        self.buffer.put(self._last_words)
        self._wake()
        if self._task is not None:
            # A client that does not read at all would never let us finish.
            loop = asyncio.get_running_loop()
            self._parting = loop.call_later(PARTING_SECONDS, self._task.cancel)

    async def write_to(self, send: Send) -> None:
        """Runs until the client leaves (then the server cancels us) or is closed."""
        self._task = asyncio.current_task()
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
            # The server keeps the task: it may serve another request of the connection.
            if self._parting is not None:
                self._parting.cancel()

    async def _part(self, send: Send) -> None:
        """Writes a pending warning and the goodbye without waiting, in case the client reads on."""
        if self.closed:
            rest = self.buffer.urgent + self._last_words if self.buffer else b""
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(send(_body(rest, is_last=True)), timeout=0.1)

    def _cut_off(self, reason: str) -> None:
        if not self.closed:
            self.buffer.clear()
            self.close(Goodbye.STALL, reason)
            cut_off()

    def _warn(self, message: str, now: float) -> None:
        if self._stall_warnings and now >= self._next_warning:
            self._next_warning = now + SECONDS_BETWEEN_WARNINGS
            warning = notices.falling_behind(message, self.buffer.percent_full)
            self.buffer.put_first(self._dialect.notice(warning))

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def _write_all(self, send: Send) -> None:
        while self.buffer:
            self._writes_since = time.monotonic()
            await send(_body(self.buffer.take()))
        self._writes_since = None

    async def _wait(self) -> None:
        if self.buffer or self.closed:
            return
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None


def _body(content: bytes, *, is_last: bool = False) -> MutableMapping[str, Any]:
    return {"type": "http.response.body", "body": content, "more_body": not is_last}
