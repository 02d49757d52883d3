"""A table in both databases: the same rows, which each writes in its own way."""

import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.backends.utils import CursorWrapper

from .archive import BackupError
from .sqlite import TABLES

# How PostgreSQL is asked for a value in the form that Django gives it in SQLite.
AS_IN_SQLITE = {
    "bigint": "{}",
    "integer": "{}",
    "smallint": "{}",
    "double precision": "{}",
    "character varying": "{}",
    "text": "{}",
    "bytea": "{}",
    "boolean": "{}::int",
    "date": "{}::text",
    "uuid": "replace({}::text, '-', '')",
    "jsonb": "{}::text",
    "timestamp with time zone": "to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')",
}
WHOLE_SECOND = len("2026-01-31 12:00:00")


def _to_the_microsecond(moment: str) -> str:
    return f"{moment}.000000" if len(moment) == WHOLE_SECOND else moment


def _in_order(text: str) -> str:
    return json.dumps(json.loads(text), sort_keys=True)


ONE_FORM = {"timestamp with time zone": _to_the_microsecond, "jsonb": _in_order}
COLUMNS = """
    SELECT column_name, data_type FROM information_schema.columns
    WHERE table_schema = current_schema() AND table_name = %s ORDER BY ordinal_position
"""


class Fingerprint:
    """How many rows, and a sum over them that doesn't depend on their order.

    Python's hashes differ between processes: compare only within one.
    """

    def __init__(self) -> None:
        self.rows = 0
        self._sum = 0

    def add(self, row: tuple[Any, ...]) -> None:
        self.rows += 1
        self._sum += hash(row)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fingerprint) and (self.rows, self._sum) == (other.rows, other._sum)

    __hash__ = None  # type: ignore[assignment] # it changes


@dataclass(frozen=True)
class Table:
    name: str
    columns: dict[str, str]
    """The type of each in PostgreSQL."""

    def select_from_sqlite(self) -> str:
        return f'SELECT {self._names()} FROM "{self.name}"'  # noqa: S608 - our own tables

    def copy_statement(self) -> str:
        return f'COPY "{self.name}" ({self._names()}) FROM STDIN'

    def select_from_postgres(self) -> str:
        values = (AS_IN_SQLITE[kind].format(f'"{name}"') for name, kind in self.columns.items())
        return f'SELECT {", ".join(values)} FROM "{self.name}"'  # noqa: S608 - our own tables

    def _names(self) -> str:
        return ", ".join(f'"{name}"' for name in self.columns)

    @cached_property
    def _ambiguous(self) -> list[tuple[int, Callable[[str], str]]]:
        kinds = enumerate(self.columns.values())
        return [(place, ONE_FORM[kind]) for place, kind in kinds if kind in ONE_FORM]

    def normal(self, row: tuple[Any, ...]) -> tuple[Any, ...]:
        """Equal for equal rows of the two."""
        values = list(row)
        for place, one_form in self._ambiguous:
            if values[place] is not None:
                values[place] = one_form(values[place])
        return tuple(values)


def tables_of(source: sqlite3.Connection, cursor: CursorWrapper) -> list[Table]:
    """Raises BackupError if the two databases differ, or we can't move all of it."""
    return [_table(name, source, cursor) for (name,) in source.execute(TABLES).fetchall()]


def _table(name: str, source: sqlite3.Connection, cursor: CursorWrapper) -> Table:
    cursor.execute(COLUMNS, [name])
    table = Table(name, dict(cursor.fetchall()))
    found = {column for _, column, *_ in source.execute(f'PRAGMA table_info("{name}")')}
    if found != set(table.columns):
        raise BackupError(
            f"The table {name} differs between the two databases: is it one of the site?"
        )
    if unknown := set(table.columns.values()) - set(AS_IN_SQLITE):
        raise BackupError(f"The table {name} has columns that can't be moved: {unknown}")
    return table
