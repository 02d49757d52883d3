"""Statements that PostgreSQL keeps parsed and planned: then it takes a third of its time for them.

They belong to a session. A pooler such as PgBouncer may give each transaction another one, so
behind one nothing is prepared.
"""

import re
from collections import Counter
from collections.abc import Callable
from itertools import count
from typing import Any, Self

# A connection may have been opened for a single page.
OFTEN = 3
# For each the server keeps some 50 kB. Those that come first come often.
MOST = 100

PLACEHOLDER = re.compile("%([s%])")


class Prepared:
    """Those of one connection."""

    def __init__(self) -> None:
        self._calls: dict[str, str] = {}
        self._uses = Counter[str]()

    @classmethod
    def on(cls, connection: Any) -> Self | None:
        """One trip. A pooler makes up the process that it tells its clients."""
        ((process,),) = connection.execute("SELECT pg_backend_pid()").fetchall()
        return cls() if process == connection.info.backend_pid else None

    def call(self, sql: str, execute: Callable[[str], object]) -> str:
        """What does the same with the same parameters: `sql` itself, or from the third time on the
        call of the statement that is then prepared, in a trip of its own.
        """
        if sql not in self._calls:
            self._uses[sql] += 1
            if self._uses[sql] < OFTEN or len(self._calls) == MOST:
                return sql
            self._calls[sql] = self._prepare(sql, execute)
        return self._calls[sql]

    def _prepare(self, sql: str, execute: Callable[[str], object]) -> str:
        # Never the same again: it may be prepared although its transaction fails afterwards.
        name, numbers = f"ready_{self._uses.total()}", count(1)
        text = PLACEHOLDER.sub(lambda it: f"${next(numbers)}" if it[1] == "s" else "%", sql)
        execute(f"PREPARE {name} AS {text}")
        places = ", ".join(["%s"] * (next(numbers) - 1))
        return f"EXECUTE {name} ({places})" if places else f"EXECUTE {name}"
