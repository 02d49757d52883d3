"""Moves the record from SQLite to PostgreSQL, in one transaction, and compares the two."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from django.db import IntegrityError, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

from users.models import User

from . import sqlite
from .archive import BackupError, bar
from .bare_tables import bare_tables
from .table import Fingerprint, Table, tables_of

ROWS_AT_ONCE = 5_000


def check_target(target: BaseDatabaseWrapper) -> None:
    """A site that was started there, but has no account yet, is empty too."""
    with target.cursor() as cursor:
        tables = target.introspection.table_names(cursor)
        users = User._meta.db_table
        if tables and (users not in tables or _count(cursor, users)):
            raise BackupError(
                "The target database has tables with rows, or of another program: choose an empty "
                "one (`createdb`)"
            )


def _count(cursor: CursorWrapper, table: str) -> int:
    cursor.execute(f'SELECT count(*) FROM (SELECT FROM "{table}" LIMIT 1) AS rows')  # noqa: S608 - our tables
    return int(cursor.fetchone()[0])


def move(target: BaseDatabaseWrapper) -> int:
    """Returns how many rows. The target has the tables already, and nothing that is worth keeping;
    nobody can write to the source meanwhile.
    """
    try:
        with (
            _locked_source() as source,
            transaction.atomic(using=target.alias),
            target.cursor() as cursor,
            bare_tables(cursor),
        ):
            moved = _move_tables(source, cursor)
    except IntegrityError as error:
        raise BackupError(f"The target refuses what SQLite holds, and is empty: {error}") from error
    with target.cursor() as cursor:
        cursor.execute("ANALYZE")
    return moved


@contextmanager
def _locked_source() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(sqlite.file(), isolation_level=None)) as source:
        try:
            source.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            raise BackupError(f"Somebody writes to the database ({error}): stop it") from error
        yield source


def _move_tables(source: sqlite3.Connection, cursor: CursorWrapper) -> int:
    tables = tables_of(source, cursor)
    cursor.execute("TRUNCATE {}".format(", ".join(f'"{table.name}"' for table in tables)))
    moved = 0
    for table in tables:
        written = _copy(table, source, cursor)
        _set_sequences(table, source, cursor)
        if _read_back(table, cursor) != written:
            raise BackupError(f"{table.name} arrived with other contents; the target is empty")
        moved += written.rows
    return moved


def _copy(table: Table, source: sqlite3.Connection, cursor: CursorWrapper) -> Fingerprint:
    written = Fingerprint()
    ((total,),) = source.execute(f'SELECT count(*) FROM "{table.name}"')  # noqa: S608 - our tables
    rows = source.execute(table.select_from_sqlite())
    with cursor.copy(table.copy_statement()) as copy, bar(table.name, total, unit="rows") as shown:
        while some := rows.fetchmany(ROWS_AT_ONCE):
            for row in some:
                copy.write_row(row)
                written.add(table.normal(row))
            shown.update(len(some))
    return written


def _read_back(table: Table, cursor: CursorWrapper) -> Fingerprint:
    found = Fingerprint()
    with _on_server(cursor, table.select_from_postgres()) as rows:
        for row in rows:
            found.add(table.normal(row))
    return found


@contextmanager
def _on_server(cursor: CursorWrapper, statement: str) -> Iterator[Any]:
    """Some rows at a time: a table need not fit into memory."""
    with cursor.connection.cursor(name="read_back") as rows:
        rows.itersize = ROWS_AT_ONCE
        rows.execute(statement)
        yield rows


def _set_sequences(table: Table, source: sqlite3.Connection, cursor: CursorWrapper) -> None:
    """After the highest id ever given out: an id never comes back, even that of a deleted row."""
    used = source.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", [table.name]).fetchone()
    for column in table.columns:
        cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", [f'"{table.name}"', column])
        (sequence,) = cursor.fetchone()
        if sequence and used and used[0]:
            cursor.execute("SELECT setval(%s, %s)", [sequence, used[0]])
