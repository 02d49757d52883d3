"""Many commands to one server in one write, like redis-py's pipeline in two thirds of its time.

The pipeline spends more time around each command than on the command itself (docs/benchmarks.md),
and borrows a connection for each batch: here each thread keeps its own.
"""

import os
import threading
from collections.abc import Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import hiredis
import redis
from redis.exceptions import ResponseError
from redis.sentinel import SentinelManagedConnection

from .outages.fence import is_fenced

Argument = str | int | float | bytes
Command = tuple[Argument, ...]


# The texts of scripts, by their digests.
Sources = Mapping[str, str]
NO_SCRIPTS: Sources = {}


class Own:
    """A connection of this thread, closed with its owner: the garbage collector may take the socket
    first.

    It knows which scripts the server has, and sends the others before the commands: a server that
    lacks a script would skip it. Opened again, it may lead to a server without any.
    """

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self._socket: object = None
        self._known: set[str] = set()
        self._sent: list[str] = []

    def __del__(self) -> None:
        self.connection.disconnect()

    def send(self, commands: Sequence[Command], scripts: Sources = NO_SCRIPTS) -> None:
        # Does nothing if it is connected. Sending would connect too, but without asking Sentinel.
        self.connection.connect()
        if self.connection._sock is not self._socket:
            self._socket = self.connection._sock
            self._known.clear()
        self._sent = [digest for digest in scripts if digest not in self._known]
        loads: list[Command] = [("SCRIPT", "LOAD", scripts[digest]) for digest in self._sent]
        self.connection.send_packed_command([pack([*loads, *commands])])

    def read(self, commands: Sequence[Command]) -> list[Any]:
        loaded = zip(self._sent, read_answers(self.connection, self._sent), strict=True)
        self._known.update(it for it, answer in loaded if not isinstance(answer, ResponseError))
        return read_answers(self.connection, commands)


class _Connections(threading.local):
    """One for each pool; closed when the thread or the pool ends."""

    def __init__(self) -> None:
        self._made: WeakKeyDictionary[Any, Own] = WeakKeyDictionary()

    def to(self, pool: Any) -> Own:
        if pool not in self._made:
            self._made[pool] = Own(pool.connection_class(**pool.connection_kwargs))
        return self._made[pool]


_connections = _Connections()


def _begin_in_child() -> None:
    """A forked process must not write to the connections of its parent."""
    global _connections
    _connections = _Connections()


os.register_at_fork(after_in_child=_begin_in_child)


def own_connection(client: redis.Redis) -> Own:
    return _connections.to(client.connection_pool)


def pack(commands: Sequence[Command]) -> bytes:
    pack_one: Any = hiredis.pack_command  # the stub only knows commands without arguments
    return b"".join(map(pack_one, commands))


def exchange(
    client: redis.Redis, commands: Sequence[Command], scripts: Sources = NO_SCRIPTS
) -> list[Any]:
    """An answer or a ResponseError for each command, in their order. One round trip.

    A lost connection is replaced and everything sent again. So it is while a new master waits for
    its replicas; if that takes too long, raises its refusal. `scripts`: those that the commands
    call.
    """
    own = own_connection(client)
    connection = own.connection

    def send_and_read() -> list[Any]:
        own.send(commands, scripts)
        answers = own.read(commands)
        for answer in filter(is_fenced, answers):
            raise answer
        return answers

    try:
        answers = connection.retry.call_with_retry(
            send_and_read, lambda _error: connection.disconnect()
        )
    except BaseException:
        # The next batch must not read answers that were meant for this one.
        connection.disconnect()
        raise
    return parse(client, commands, answers)


def read_answers(connection: Any, commands: Sequence[object]) -> list[Any]:
    """The connection waits for the first; its parser alone reads the others in half the time.
    Sentinel's connection has to see each: a refusal tells it that its master is a replica now.
    """
    if len(commands) < 2 or isinstance(connection, SentinelManagedConnection):
        return [_read_answer(connection) for _ in commands]
    try:
        first, read = _read_answer(connection), connection._parser.read_response
        return [first, *(read() for _ in commands[1:])]
    except OSError as error:
        raise redis.ConnectionError(f"Redis: {error}") from error


def _read_answer(connection: Any) -> Any:
    try:
        return connection.read_response()
    except ResponseError as error:
        return error


def parse(client: redis.Redis, commands: Sequence[Command], answers: Sequence[Any]) -> list[Any]:
    """Pairs as a dict, OK as True …, like redis-py."""
    parsers = {name: client.response_callbacks.get(name) for name in {it[0] for it in commands}}
    return [
        parser(answer)
        if (parser := parsers[command[0]]) and not isinstance(answer, ResponseError)
        else answer
        for command, answer in zip(commands, answers, strict=True)
    ]
