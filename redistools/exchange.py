"""Many commands to one server in one write, like redis-py's pipeline.

The pipeline spends more time around each command than on the command itself: this way a page of
statuses takes two thirds of the time. docs/benchmarks.md has the figures. Nor does it borrow a
connection from the pool and return it for each batch: a thread keeps its own.
"""

import os
import threading
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import hiredis
import redis
from redis.exceptions import ResponseError

Argument = str | int | float | bytes
Command = tuple[Argument, ...]


class _Connections(threading.local):
    """Those of one thread, one for each pool; closed when the thread ends."""

    def __init__(self) -> None:
        self._made: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()

    def to(self, pool: Any) -> Any:
        if pool not in self._made:
            self._made[pool] = pool.connection_class(**pool.connection_kwargs)
        return self._made[pool]


_connections = _Connections()


def _begin_in_child() -> None:
    """A forked process must not write to the connections of its parent."""
    global _connections
    _connections = _Connections()


os.register_at_fork(after_in_child=_begin_in_child)


def connection_to(client: redis.Redis) -> Any:
    """This thread's own, made when it is first asked for."""
    return _connections.to(client.connection_pool)


def pack(commands: Sequence[Command]) -> bytes:
    pack_one: Any = hiredis.pack_command  # the stub only knows commands without arguments
    return b"".join(map(pack_one, commands))


def exchange(client: redis.Redis, commands: Sequence[Command]) -> list[Any]:
    """An answer or a ResponseError for each command. One round trip.

    As with any command of the client, a lost connection is replaced and everything sent again.
    """
    packed = pack(commands)
    connection = connection_to(client)

    def send_and_read() -> list[Any]:
        # Does nothing if it is connected. Sending would connect too, but without asking Sentinel.
        connection.connect()
        connection.send_packed_command([packed])
        return read_answers(connection, commands)

    try:
        answers = connection.retry.call_with_retry(
            send_and_read, lambda _error: connection.disconnect()
        )
    except BaseException:
        # The next batch must not read answers that were meant for this one.
        connection.disconnect()
        raise
    return parse(client, commands, answers)


def read_answers(connection: Any, commands: Sequence[Command]) -> list[Any]:
    return [_read_answer(connection) for _ in commands]


def _read_answer(connection: Any) -> Any:
    try:
        return connection.read_response()
    except ResponseError as error:
        return error


def parse(client: redis.Redis, commands: Sequence[Command], answers: Sequence[Any]) -> list[Any]:
    """Pairs as a dict, OK as True …, like redis-py."""
    parsers = {name: client.response_callbacks.get(name) for name in {it[0] for it in commands}}
    return [
        _parsed(answer, parsers[command[0]])
        for command, answer in zip(commands, answers, strict=True)
    ]


def _parsed(answer: Any, parser: Callable[[Any], Any] | None) -> Any:
    return answer if parser is None or isinstance(answer, ResponseError) else parser(answer)
