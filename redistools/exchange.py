"""Many commands to one server in one write, like redis-py's pipeline.

The pipeline spends more time around each command than on the command itself: this way a page of
statuses takes two thirds of the time. docs/benchmarks.md has the figures.
"""

from collections.abc import Callable, Sequence
from typing import Any

import hiredis
import redis
from redis.exceptions import ResponseError

Argument = str | int | float | bytes
Command = tuple[Argument, ...]


def exchange(client: redis.Redis, commands: Sequence[Command]) -> list[Any]:
    """An answer or a ResponseError for each command. One round trip.

    As with any command of the client, a lost connection is replaced and everything sent again.
    """
    pack: Any = hiredis.pack_command  # the stub only knows commands without arguments
    packed = b"".join(map(pack, commands))
    pool: Any = client.connection_pool
    connection: Any = pool.get_connection()

    def send_and_read() -> list[Any]:
        connection.send_packed_command([packed])
        return [_read_answer(connection) for _ in commands]

    try:
        answers = connection.retry.call_with_retry(
            send_and_read, lambda _error: connection.disconnect()
        )
    except BaseException:
        # The connection's next user must not read answers that were meant for us.
        connection.disconnect()
        raise
    finally:
        pool.release(connection)
    parsers = {name: client.response_callbacks.get(name) for name in {it[0] for it in commands}}
    return [
        _parsed(answer, parsers[command[0]])
        for command, answer in zip(commands, answers, strict=True)
    ]


def _read_answer(connection: Any) -> Any:
    try:
        return connection.read_response()
    except ResponseError as error:
        return error


def _parsed(answer: Any, parser: Callable[[Any], Any] | None) -> Any:
    """Pairs as a dict, OK as True …, like redis-py."""
    return answer if parser is None or isinstance(answer, ResponseError) else parser(answer)
