"""What waits to be written to one client: bounded in bytes and in messages."""

from collections import deque

MAX_BYTES = 1_000_000
MAX_MESSAGES = 2_000
# A write takes no more, so that a client that stops reading holds no more outside the buffer.
WRITE_BYTES = 64_000


class Buffer:
    """Messages are shared by all clients that get them; only the references are a client's own."""

    __slots__ = ("_messages", "bytes")

    def __init__(self) -> None:
        self._messages: deque[bytes] = deque()
        self.bytes = 0

    def __len__(self) -> int:
        return len(self._messages)

    @property
    def percent_full(self) -> int:
        return max(100 * self.bytes // MAX_BYTES, 100 * len(self._messages) // MAX_MESSAGES)

    def put(self, message: bytes) -> None:
        self._messages.append(message)
        self.bytes += len(message)

    def take(self) -> bytes:
        """As many whole messages as fit in one write, and at least one."""
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
