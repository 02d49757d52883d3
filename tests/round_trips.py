"""Counts the round trips to Redis: a pipeline of any length is one, and so is what goes to several
nodes of a cluster before the first answer is read.

A test that fails after counting shows what was sent.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import hiredis
import pytest
from redis.connection import AbstractConnection

PING = hiredis.pack_command(("PING",))
COMMANDS_SHOWN = 6
CHARACTERS_SHOWN = 100


@dataclass
class RoundTrips:
    """What was sent, one entry for each round trip."""

    sent: list[bytes] = field(default_factory=list)
    to: list[str] = field(default_factory=list)
    asked: set[str] = field(default_factory=set)
    """The servers that have been asked since the last answer."""

    def add(self, server: str, packed: bytes) -> None:
        if self.asked and server not in self.asked:
            self.sent[-1] += packed
            self.to[-1] += f", {server}"
        else:
            self.sent.append(packed)
            self.to.append(server)
        self.asked.add(server)

    def __len__(self) -> int:
        return len(self.sent)

    def __str__(self) -> str:
        trips = zip(self.to, self.sent, strict=True)
        return "\n".join(f"{n:3}. to {to}: {in_words(it)}" for n, (to, it) in enumerate(trips, 1))


_of_this_test: list[RoundTrips] = []


@contextmanager
def counting_round_trips() -> Iterator[RoundTrips]:
    """Of this thread: others write what nobody waits for. Open connections before, with a request
    that does not count: connecting takes trips too. Nor does a ping count that redis-py sends on a
    connection that was silent for half a minute, as on a busy machine.
    """
    trips, waiting = RoundTrips(), threading.current_thread()
    _of_this_test.append(trips)
    send: Any = AbstractConnection.send_packed_command  # untyped in redis-py
    read: Any = AbstractConnection.read_response

    def counted(connection: AbstractConnection, command: Any, *args: Any, **kwargs: Any) -> None:
        packed = command if isinstance(command, bytes) else b"".join(command)
        is_health_check = packed == PING and not kwargs.get("check_health", True)
        if threading.current_thread() is waiting and not is_health_check:
            trips.add(server_of(connection), packed)
        send(connection, command, *args, **kwargs)

    def noticed(connection: AbstractConnection, *args: Any, **kwargs: Any) -> Any:
        if threading.current_thread() is waiting:
            trips.asked.clear()
        return read(connection, *args, **kwargs)

    with (
        patch.object(AbstractConnection, "send_packed_command", counted),
        patch.object(AbstractConnection, "read_response", noticed),
    ):
        yield trips


def server_of(connection: Any) -> str:
    return str(getattr(connection, "path", "") or f"{connection.host}:{connection.port}")


def in_words(sent: bytes) -> str:
    """`GET key; HGETALL key; …`, cut short."""
    reader = hiredis.Reader(encoding="utf-8", errors="replace")
    reader.feed(sent)
    commands = []
    while (command := reader.gets()) is not False:
        commands.append(" ".join(map(str, command))[:CHARACTERS_SHOWN])
    left = len(commands) - COMMANDS_SHOWN
    return "; ".join(commands[:COMMANDS_SHOWN]) + (f"; and {left} more" if left > 0 else "")


def show_round_trips(report: pytest.TestReport) -> None:
    """Add to a failed report what its test counted."""
    if report.failed:
        report.sections += [(f"{len(it)} round trips", str(it)) for it in _of_this_test]
    if report.when == "teardown":
        _of_this_test.clear()
