"""The database at one moment, as rows that every engine takes, while the site goes on writing.

A value is written as Django writes it into SQLite: PostgreSQL reads that form, too.
"""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from search.models import DERIVED

from .archive import BackupError, Progress

ROWS_AT_ONCE = 2_000
# Made by the migrations, which the manifest names.
MIGRATIONS = "django_migrations"
BEGIN = {
    # Not IMMEDIATE, as everywhere else: nobody waits for us.
    "sqlite": "BEGIN",
    "postgresql": "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY",
}
TABLES = {
    "sqlite": "SELECT name FROM pragma_table_list "
    "WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%'",
    "postgresql": "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()",
}
# The highest id that each table ever gave out, also if its row is gone.
SEQUENCES = {
    "sqlite": "SELECT name, seq FROM sqlite_sequence WHERE seq > 0",
    "postgresql": """
        SELECT owner.relname, last_value FROM pg_sequences
        JOIN pg_depend ON objid = format('%I.%I', schemaname, sequencename)::regclass
        JOIN pg_class AS owner ON owner.oid = refobjid
        WHERE schemaname = current_schema() AND deptype IN ('a', 'i') AND last_value IS NOT NULL
    """,
}
FORMS = {
    "BooleanField": "{}::int",
    "DateField": "{}::text",
    "DateTimeField": r"regexp_replace(to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), "
    r"'\.000000$', '')",
    "JSONField": "{}::text",
    "UUIDField": "replace({}::text, '-', '')",
}
to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def tables_of(connection: BaseDatabaseWrapper) -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(TABLES[connection.vendor])
        return {name for (name,) in cursor.fetchall()}


@contextmanager
def snapshot() -> Iterator["Snapshot"]:
    """Keep it short: until it ends, SQLite's log grows, and PostgreSQL keeps all deleted rows."""
    connection = connections[DEFAULT_DB_ALIAS].copy()
    try:
        with connection.cursor() as cursor:
            cursor.execute(BEGIN[connection.vendor])
        yield Snapshot(connection)
    except DatabaseError as error:
        raise BackupError(f"The database can't be read: {error}") from error
    finally:
        connection.close()


class Snapshot:
    def __init__(self, connection: BaseDatabaseWrapper) -> None:
        self._connection = connection
        self.tables = sorted(tables_of(connection) - {MIGRATIONS} - DERIVED)

    def query(self, statement: str) -> list[tuple[Any, ...]]:
        with self._connection.cursor() as cursor:
            cursor.execute(statement)
            return list(cursor.fetchall())

    def migrations(self) -> list[str]:
        found = self.query(f"SELECT app, name FROM {MIGRATIONS}")  # noqa: S608 - a constant
        return sorted(f"{app}.{name}" for app, name in found)

    def sequences(self) -> dict[str, int]:
        found = self.query(SEQUENCES[self._connection.vendor])
        return {table: highest for table, highest in found if table in self.tables}

    def rows(self) -> dict[str, int]:
        return {table: self._count(table) for table in self.tables}

    def _count(self, table: str) -> int:
        ((count,),) = self.query(f'SELECT count(*) FROM "{table}"')  # noqa: S608 - our own tables
        return int(count)

    def content(self, table: str, progress: Progress) -> Iterator[bytes]:
        """A line with the names of the columns, then one for each row; some rows at a time."""
        columns = self._columns(table)
        yield _lines([list(columns)])
        statement = f'SELECT {", ".join(columns.values())} FROM "{table}"'  # noqa: S608 - our own
        with self._cursor() as cursor:
            cursor.execute(statement)
            while rows := cursor.fetchmany(ROWS_AT_ONCE):
                yield _lines(rows)
                progress.update(len(rows))

    def _columns(self, table: str) -> dict[str, str]:
        """By name, what to select: the value in the form of the archive."""
        find = self._connection.introspection
        with self._connection.cursor() as cursor:
            found = find.get_table_description(cursor, table)
        if self._connection.vendor == "sqlite":
            # The plus hides the type of the column, by which Django's converters go.
            return {it.name: f'+"{it.name}"' for it in found}
        kinds = {it.name: find.get_field_type(it.type_code, it) for it in found}
        return {name: FORMS.get(kind, "{}").format(f'"{name}"') for name, kind in kinds.items()}

    @contextmanager
    def _cursor(self) -> Iterator[Any]:
        """One that does not fetch everything at once."""
        if self._connection.vendor == "sqlite":
            with self._connection.cursor() as cursor:
                yield cursor
        else:
            with (
                self._connection.wrap_database_errors,
                self._connection.connection.cursor(name="rows") as cursor,
            ):
                yield cursor


def _lines(rows: Iterable[Any]) -> bytes:
    return "".join(f"{to_json(row)}\n" for row in rows).encode()
