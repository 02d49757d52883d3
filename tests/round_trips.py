"""Counts the round trips to Redis: a pipeline of any length is one."""

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
    """Open connections before, with a request that does not count: connecting takes trips too."""
    trips = RoundTrips()
    send: Any = AbstractConnection.send_packed_command  # untyped in redis-py

    def counted(connection: AbstractConnection, command: Any, *args: Any, **kwargs: Any) -> None:
        trips.sent.append(command if isinstance(command, bytes) else b"".join(command))
        send(connection, command, *args, **kwargs)

    with patch.object(AbstractConnection, "send_packed_command", counted):
        yield trips
