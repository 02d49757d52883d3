"""Counts the round trips to Redis: a pipeline of any length is one."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from redis.connection import AbstractConnection


@dataclass
class RoundTrips:
    """What was sent, one entry for each round trip."""

    sent: list[bytes] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.sent)


@contextmanager
def counting_round_trips() -> Iterator[RoundTrips]:
    """Of this thread: others write what nobody waits for. Open connections before, with a request
    that does not count: connecting takes trips too.
    """
    trips, waiting = RoundTrips(), threading.current_thread()
    send: Any = AbstractConnection.send_packed_command  # untyped in redis-py

    def counted(connection: AbstractConnection, command: Any, *args: Any, **kwargs: Any) -> None:
        if threading.current_thread() is waiting:
            trips.sent.append(command if isinstance(command, bytes) else b"".join(command))
        send(connection, command, *args, **kwargs)

    with patch.object(AbstractConnection, "send_packed_command", counted):
        yield trips
