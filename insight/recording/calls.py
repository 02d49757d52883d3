"""Times every call of Redis and every statement of SQL of this process."""

import re
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from django.db import DatabaseError, connections
from django.db.backends.signals import connection_created

from redistools import calls

from .buffer import buffer

# They wait for something to happen.
BLOCKING = frozenset({"BLPOP", "BRPOP", "BZPOPMIN", "BLMOVE", "XREAD"})
# `SELECT users_user`, of all that a statement says.
VERB = re.compile(r"\s*(\w+)")
TABLE = re.compile(r"(?:FROM|INTO|UPDATE)\s+\"?(\w+)", re.IGNORECASE)

Execute = Callable[[str, Any, bool, dict[str, Any]], Any]


def listen() -> None:
    """Signals say when a thread opens its connection: there is no other way to know."""
    calls.listen(_redis_called)
    connection_created.connect(_listen_to)
    for connection in connections.all(initialized_only=True):
        _listen_to(connection=connection)


def listen_no_more() -> None:
    calls.listen(None)
    connection_created.disconnect(_listen_to)
    for connection in connections.all(initialized_only=True):
        if timed_sql in connection.execute_wrappers:
            connection.execute_wrappers.remove(timed_sql)


def _listen_to(*, connection: Any, **_signal: Any) -> None:
    if timed_sql not in connection.execute_wrappers:  # it may be opened again
        connection.execute_wrappers.append(timed_sql)


def _redis_called(name: str, seconds: float, has_failed: bool) -> None:
    if name in BLOCKING:
        return
    buffer.timed("redis", name, seconds)
    if has_failed:
        buffer.count("redis_errors")


def timed_sql(execute: Execute, sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
    began = time.perf_counter()
    try:
        return execute(sql, params, many, context)
    except DatabaseError:
        buffer.count("sql_errors")
        raise
    finally:
        buffer.timed("sql", statement(sql), time.perf_counter() - began)


@lru_cache(maxsize=1_000)
def statement(sql: str) -> str:
    """Its verb and table: never a value, and few enough to be counted."""
    verb, table = VERB.match(sql), TABLE.search(sql)
    name = verb[1].upper() if verb else "?"
    return f"{name} {table[1]}" if table else name
