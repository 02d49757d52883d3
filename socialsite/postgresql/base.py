"""Django's PostgreSQL backend, with connections that don't wait for ever (`silence.py`), fewer
trips to the server, and less work for it (`prepared.py`): `BEGIN`, and statements whose outcome
nobody asks for, go along with the next.
"""

import select
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, Self

import psycopg
from django.db.backends.postgresql import base
from django.db.backends.utils import debug_transaction
from psycopg.abc import Params

from web.sql.ready_sql import Text

from .prepared import Prepared
from .silence import PatientConnection, silence

BEGIN = ("BEGIN",)


class Connection(PatientConnection):
    waiting: tuple[str, ...] = ()
    """Statements that go along with the next."""

    prepared: Prepared | None = None


class Cursor(psycopg.ClientCursor[Any]):
    connection: Connection
    is_watched = False
    """Somebody wants to read what is sent."""

    def execute(self, query: Any, params: Params | None = None, **options: Any) -> Self:
        if isinstance(query, Text):
            query = self.shortest(query)
        waiting, self.connection.waiting = self.connection.waiting, ()
        if not waiting:
            return super().execute(query, params, **options)
        super().execute("; ".join([*waiting, self.mogrify(query, params)]), **options)
        for _ in waiting:
            self.nextset()
        return self

    def executemany(self, *arguments: Any, **options: Any) -> None:
        self._send_waiting()
        super().executemany(*arguments, **options)

    def copy(self, *arguments: Any, **options: Any) -> Any:
        self._send_waiting()
        return super().copy(*arguments, **options)

    def shortest(self, query: str) -> str:
        """What has the same effect, with the same parameters."""
        prepared = None if self.is_watched else self.connection.prepared
        return prepared.call(query, self.execute) if prepared else query

    def _send_waiting(self) -> None:
        if self.connection.waiting:
            self.execute("SELECT 1")


class DatabaseWrapper(base.DatabaseWrapper):
    # What Django takes from psycopg: its errors, and how to connect.
    Database = SimpleNamespace(  # type: ignore[assignment] # it looks up names alone
        **(vars(psycopg) | {"connect": Connection.connect})
    )

    def get_connection_params(self) -> dict[str, Any]:
        return {**super().get_connection_params(), "cursor_factory": Cursor}

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        silence.check()
        try:
            return super().get_new_connection(conn_params)
        except psycopg.errors.ConnectionTimeout as error:
            silence.begin(error, conn_params)
            raise

    def init_connection_state(self) -> None:
        super().init_connection_state()
        self.connection.prepared = Prepared.on(self.connection)

    def make_debug_cursor(self, cursor: Any) -> Any:
        cursor.is_watched = True
        return super().make_debug_cursor(cursor)

    def is_usable(self) -> bool:
        """Asks the server only if it has said something: mostly that it ended the connection."""
        if self.connection is None or self.connection.closed:
            return False
        poll = select.poll()
        poll.register(self.connection.fileno(), select.POLLIN)
        return not poll.poll(0) or super().is_usable()

    def execute_later(self, sql: str, parameters: Sequence[Any]) -> None:
        """Along with the next statement, or the commit, which raises its error. The `sql` is one
        that comes again and again.
        """
        with self.cursor() as cursor, self.wrap_database_errors:
            sql = cursor.shortest(sql)
            if self.in_atomic_block:
                self.connection.waiting += (cursor.mogrify(sql, parameters),)
            else:
                cursor.execute(sql, parameters)

    def _start_transaction_under_autocommit(self) -> None:
        self.connection.waiting = BEGIN

    def _commit(self) -> None:
        if self.connection is not None and self.connection.waiting not in ((), BEGIN):
            written = "; ".join([*self.connection.waiting, "COMMIT"])
            with debug_transaction(self, written), self.wrap_database_errors:
                self.connection.execute("COMMIT")
        else:
            self._forget_waiting()
            super()._commit()  # type: ignore[misc] # not in the stubs

    def _rollback(self) -> None:
        self._forget_waiting()
        super()._rollback()  # type: ignore[misc] # not in the stubs

    def _savepoint_rollback(self, sid: str) -> None:
        self._forget_waiting()
        super()._savepoint_rollback(sid)  # type: ignore[misc] # not in the stubs

    def _forget_waiting(self) -> None:
        if self.connection is not None:
            self.connection.waiting = ()
