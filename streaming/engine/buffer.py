"""What waits to be written to one client: bounded in bytes and in messages."""

from collections import deque

MAX_BYTES = 1_000_000
MAX_MESSAGES = 2_000
# The most in one write, which a client that stops reading holds on top of its buffer.
WRITE_BYTES = 64_000


class Buffer:
    """Holds references: a message is shared by all streams that get it."""

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
        """What was put first, and is still here."""
        return b"".join(self._urgent)

    def put(self, message: bytes) -> None:
        self._messages.append(message)
        self.bytes += len(message)

    def put_first(self, message: bytes) -> None:
        """Ahead of everything that waits; `clear` keeps it. Not counted, so use it sparingly."""
        self._urgent.append(message)

    def take(self) -> bytes:
        """As many whole messages as fit in one write, and at least one."""
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
        """Drop everything but what was put first."""
        self._messages.clear()
        self.bytes = 0
