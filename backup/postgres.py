"""Backup and restore of a PostgreSQL database, by its own programs."""

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.postgresql.client import DatabaseClient

from .archive import BackupError, bar, pieces
from .snapshot import Snapshot

NAME = "database.dump"
TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
PORTABLE = ("--no-owner", "--no-privileges")


def is_empty() -> bool:
    return not _query(connections[DEFAULT_DB_ALIAS], TABLES)


@contextmanager
def snapshot(_folder: Path) -> Iterator[Snapshot]:
    """A transaction that shows `pg_dump` what it sees itself."""
    keeper = connections[DEFAULT_DB_ALIAS].copy()
    try:
        keeper.set_autocommit(False)
        with keeper.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        ((shared,),) = _query(keeper, "SELECT pg_export_snapshot()")
        yield Snapshot(
            tables=[name for (name,) in _query(keeper, TABLES)],
            query=lambda statement: _query(keeper, statement),
            content=lambda: _dump(shared),
        )
    finally:
        keeper.close()


def _query(connection: BaseDatabaseWrapper, statement: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return list(cursor.fetchall())


def _dump(shared: str) -> Iterator[bytes]:
    command = ["pg_dump", "--format=custom", *PORTABLE, f"--snapshot={shared}"]
    with _running(command, stdout=subprocess.PIPE) as process, bar("database", None) as progress:
        assert process.stdout is not None  # noqa: S101 - for mypy
        for piece in pieces(process.stdout):
            yield piece
            progress.update(len(piece))


def load(content: Iterable[bytes], rows: dict[str, int]) -> None:
    """In one transaction: all of it or nothing."""
    command = ["pg_restore", "--single-transaction", "--exit-on-error", *PORTABLE]
    with _running(command, stdin=subprocess.PIPE) as process, bar("database", None) as progress:
        assert process.stdin is not None  # noqa: S101 - for mypy
        for piece in content:
            if not _written(process.stdin, piece):
                break
            progress.update(len(piece))
    database = connections[DEFAULT_DB_ALIAS]
    tables = [name for (name,) in _query(database, TABLES)]
    found = Snapshot(tables, lambda it: _query(database, it), lambda: iter(())).rows()
    if found != rows:
        raise BackupError("The restored database has other rows than the backup: is it in use?")


def _written(pipe: IO[bytes], piece: bytes) -> bool:
    """False if the program ended, which then says why."""
    try:
        pipe.write(piece)
    except BrokenPipeError:
        return False
    return True


@contextmanager
def _running(
    command: list[str], stdin: int | None = None, stdout: int | None = None
) -> Iterator["subprocess.Popen[bytes]"]:
    """Raises BackupError, with its last words, if the program fails."""
    settings = connections[DEFAULT_DB_ALIAS].settings_dict
    # The password goes by the environment: command lines are public.
    psql, environment = DatabaseClient.settings_to_cmd_args_env(settings, [])
    command = [_program(command[0]), *command[1:], *psql[1:-1], f"--dbname={settings['NAME']}"]
    process = subprocess.Popen(
        command,
        stdin=stdin,
        stdout=stdout,
        stderr=subprocess.PIPE,
        env=os.environ | (environment or {}),
    )
    with process:
        yield process
        _, complaint = process.communicate()
    if process.returncode:
        raise BackupError(f"{command[0]} failed: {complaint.decode(errors='replace').strip()}")


def _program(name: str) -> str:
    """Where Debian keeps those of several versions, the newest: it knows all older servers."""
    shipped = Path("/usr/lib/postgresql").glob(f"*/bin/{name}")
    newest = max(shipped, key=lambda path: float(path.parts[4]), default=None)
    found = shutil.which(name) or (newest and str(newest))
    if not found:
        raise BackupError(
            f"{name} is not installed: install the client programs of PostgreSQL (on Debian "
            "`apt install postgresql-client`), of the server's version or newer"
        )
    return found
