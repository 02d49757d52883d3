"""Loads the rows of a backup into an empty database, whichever engine it has."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections, transaction
from django.db.backends.utils import CursorWrapper
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor

from redistools.chunks import chunks

from .archive import ArchiveReader, BackupError, Manifest, Progress, bar, file_of
from .snapshot import ROWS_AT_ONCE, tables_of

# What slows filling tables down, as pairs of statements: one takes it away, one makes it again. To
# build an index once takes a fraction of the time of keeping it up row by row, and PostgreSQL would
# keep every reference in memory until it checks it. Those of primary keys and unique columns stay.
BURDENS = {
    "sqlite": [
        """
        SELECT 'DROP INDEX "' || name || '"', sql FROM sqlite_master
        WHERE type = 'index' AND sql IS NOT NULL
        """
    ],
    "postgresql": [
        """
        SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname),
               format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname,
                      pg_get_constraintdef(oid))
        FROM pg_constraint
        WHERE contype = 'f' AND connamespace = current_schema()::regnamespace
        """,
        """
        SELECT format('DROP INDEX %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
        FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
        WHERE relnamespace = current_schema()::regnamespace
          AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
        """,
    ],
}
SET_SEQUENCE = {
    "sqlite": [
        "DELETE FROM sqlite_sequence WHERE name = %(table)s",
        "INSERT INTO sqlite_sequence (name, seq) VALUES (%(table)s, %(used)s)",
    ],
    "postgresql": [
        """
        SELECT setval(objid::regclass, %(used)s)
        FROM pg_depend JOIN pg_class ON pg_class.oid = objid
        WHERE refobjid = quote_ident(%(table)s)::regclass AND relkind = 'S'
          AND deptype IN ('a', 'i')
        """
    ],
}


def load(archive: ArchiveReader) -> None:
    connection = connections[DEFAULT_DB_ALIAS]
    try:
        with (
            connection.constraint_checks_disabled(),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            make_tables(archive.manifest.migrations)
            _fill(cursor, archive)
            connection.check_constraints()
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("ANALYZE")
    except DatabaseError as error:
        raise BackupError(
            f"The database refuses what the backup holds, and stays empty: {error}"
        ) from error


def make_tables(names: Collection[str]) -> None:
    executor = MigrationExecutor(connections[DEFAULT_DB_ALIAS])
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    wanted = [step for step in plan if names_of(step[0]) <= set(names)]
    made = {name for migration, _ in wanted for name in names_of(migration)}
    if missing := set(names) - made - {str(migration) for migration, _ in wanted}:
        raise BackupError(
            f"This version of the site can't make the tables of the backup: it has no step of its "
            f"own for {min(missing)}. Restore it with the version that made it, and upgrade then"
        )
    executor.migrate(None, wanted)


def names_of(migration: Migration) -> set[str]:
    replaced = migration.replaces or [(migration.app_label, migration.name)]
    return {f"{app}.{name}" for app, name in replaced}


def strange_tables(manifest: Manifest) -> set[str]:
    return set(manifest.rows) - tables_of(connections[DEFAULT_DB_ALIAS])


def _fill(cursor: CursorWrapper, archive: ArchiveReader) -> None:
    manifest = archive.manifest
    ours = {it: manifest.rows[it] for it in set(manifest.rows) - strange_tables(manifest)}
    with _unburdened(cursor), bar("database", sum(ours.values()), unit="rows") as progress:
        for table, expected in ours.items():
            cursor.execute(f'DELETE FROM "{table}"')  # noqa: S608 - what migrations wrote
            if _fill_table(cursor, table, archive, progress) != expected:
                raise BackupError(f"The backup is damaged: {table} has not {expected} rows")
        sequences = manifest.sequences.items()
        _set_sequences(cursor, {table: used for table, used in sequences if table in ours})


@contextmanager
def _unburdened(cursor: CursorWrapper) -> Iterator[None]:
    pairs: list[tuple[str, str]] = []
    for statement in BURDENS[cursor.db.vendor]:
        cursor.execute(statement)
        pairs += cursor.fetchall()
    for drop, _ in pairs:
        cursor.execute(drop)
    yield
    with bar("indexes", len(pairs), unit="indexes") as progress:
        # Indexes first: references are checked by them.
        for _, make in reversed(pairs):
            cursor.execute(make)
            progress.update()


def _fill_table(
    cursor: CursorWrapper, table: str, archive: ArchiveReader, progress: Progress
) -> int:
    loaded = 0
    lines = archive.lines(file_of(table))
    columns = json.loads(next(lines))
    for some in chunks(lines, ROWS_AT_ONCE):
        _insert(cursor, table, columns, json.loads(b"[%b]" % b",".join(some)))
        loaded += len(some)
        progress.update(len(some))
    return loaded


def _insert(
    cursor: CursorWrapper, table: str, columns: Sequence[str], rows: list[list[Any]]
) -> None:
    names = ", ".join(f'"{name}"' for name in columns)
    if cursor.db.vendor == "sqlite":
        values = ", ".join(["%s"] * len(columns))
        cursor.executemany(f'INSERT INTO "{table}" ({names}) VALUES ({values})', rows)  # noqa: S608 - our own tables
        return
    with cursor.db.wrap_database_errors, cursor.copy(f'COPY "{table}" ({names}) FROM STDIN') as it:
        for row in rows:
            it.write_row(row)


def _set_sequences(cursor: CursorWrapper, highest: Mapping[str, int]) -> None:
    """An id never comes back, even that of a deleted row."""
    for table, used in highest.items():
        for statement in SET_SEQUENCE[cursor.db.vendor]:
            cursor.execute(statement, {"table": table, "used": used})
