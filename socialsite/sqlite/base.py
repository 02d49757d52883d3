"""Django's SQLite backend, with writers that queue for their turn instead of polling."""

from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from django.db import OperationalError
from django.db.backends.sqlite3 import base

from ..patience import at_most
from .turns import Turns

# sqlite3's own default.
PATIENCE = 5.0


@cache
def turns_of(database: str) -> Turns:
    return Turns(Path(database))


@lru_cache(1_000)
def _with_question_marks(query: str) -> str:
    return str(base.FORMAT_QMARK_REGEX.sub("?", query).replace("%%", "%"))


class Cursor(base.SQLiteCursorWrapper):
    """Converts the placeholders of a query once: that takes longer than SQLite needs to run it."""

    def convert_query(self, query: str, *, param_names: list[str] | None = None) -> str:
        if param_names is None:
            return _with_question_marks(query)
        return str(super().convert_query(query, param_names=param_names))


class DatabaseWrapper(base.DatabaseWrapper):
    """A transaction takes its turn when it begins (IMMEDIATE); single statements poll as usual."""

    _turns: Turns | None = None

    def get_connection_params(self) -> dict[str, Any]:
        parameters: dict[str, Any] = super().get_connection_params()
        return parameters | {"timeout": at_most(parameters.get("timeout", PATIENCE))}

    def create_cursor(self, name: str | None = None) -> Any:  # noqa: ARG002 - Django's signature
        return self.connection.cursor(factory=Cursor)

    def execute_later(self, sql: str, parameters: Sequence[Any]) -> None:
        """At once: only with PostgreSQL is there a trip to save."""
        with self.cursor() as cursor:
            cursor.execute(sql, parameters)

    def _start_transaction_under_autocommit(self) -> None:
        if not self.is_in_memory_db():
            self._take_turn(turns_of(str(self.settings_dict["NAME"])))
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc] # not in the stubs
        except BaseException:
            self._give_turn_back()
            raise

    def _take_turn(self, turns: Turns) -> None:
        patience = self.settings_dict["OPTIONS"].get("timeout", PATIENCE)
        if not turns.take(patience=at_most(patience)):
            raise OperationalError("database is locked: other threads of this process write")
        self._turns = turns

    def _commit(self) -> None:
        """If it fails, Django rolls back next."""
        super()._commit()  # type: ignore[misc] # not in the stubs
        self._give_turn_back()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc] # not in the stubs
        finally:
            self._give_turn_back()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc] # not in the stubs
        finally:
            self._give_turn_back()

    def _give_turn_back(self) -> None:
        turns, self._turns = self._turns, None
        if turns is not None:
            turns.give_back()
