"""Backup and restore of a SQLite file, by SQLite's online backup."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from django.db import DEFAULT_DB_ALIAS, connections

from .archive import BackupError, bar, pieces
from .snapshot import Snapshot

NAME = "database.sqlite3"
PAGES_AT_ONCE = 1_000
TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"


def file() -> Path:
    return Path(connections[DEFAULT_DB_ALIAS].settings_dict["NAME"])


def is_empty(database: Path | None = None) -> bool:
    database = database or file()
    if not database.exists():
        return True
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute(TABLES).fetchone() is None


@contextmanager
def snapshot(folder: Path) -> Iterator[Snapshot]:
    """A copy in this folder, which needs room for it."""
    copy = folder / NAME
    copy.touch(mode=0o600)
    with closing(sqlite3.connect(copy)) as connection:
        try:
            _copy_into(connection)
        except sqlite3.Error as error:
            raise BackupError(f"The database can't be copied into {folder}: {error}") from error
        yield Snapshot(
            tables=[name for (name,) in connection.execute(TABLES)],
            query=connection.execute,
            content=lambda: _read(copy),
        )


def _copy_into(target: sqlite3.Connection) -> None:
    """All steps read from one transaction: without it, the copy would begin again at each write of
    others. They don't wait for it.
    """
    with closing(sqlite3.connect(file(), isolation_level=None)) as source:
        source.execute("BEGIN")
        source.execute(TABLES).fetchone()
        with bar("database", None, unit="pages") as progress:

            def show(_status: int, left: int, total: int) -> None:
                progress.total = total
                progress.update(total - left - progress.n)

            source.backup(target, pages=PAGES_AT_ONCE, progress=show, sleep=0)
    # In one file: without a log beside it.
    target.execute("PRAGMA journal_mode=DELETE")


def _read(path: Path) -> Iterator[bytes]:
    with path.open("rb") as content, bar("writing", path.stat().st_size) as progress:
        for piece in pieces(content):
            yield piece
            progress.update(len(piece))


def load(content: Iterable[bytes], rows: dict[str, int], database: Path | None = None) -> None:
    """The file takes its place only once it is whole."""
    database = database or file()
    draft = database.with_name(f"{database.name}.restoring")
    draft.unlink(missing_ok=True)
    draft.touch(mode=0o600)
    with draft.open("wb") as target:
        for piece in content:
            target.write(piece)
    _check(draft, rows)
    connections[DEFAULT_DB_ALIAS].close()
    for leftover in ("-wal", "-shm"):
        database.with_name(f"{database.name}{leftover}").unlink(missing_ok=True)
    draft.replace(database)


def _check(database: Path, rows: dict[str, int]) -> None:
    with closing(sqlite3.connect(database)) as connection:
        (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        tables = [name for (name,) in connection.execute(TABLES)]
        found = Snapshot(tables, connection.execute, lambda: iter(())).rows()
    if verdict != "ok" or found != rows:
        raise BackupError(f"The database of the backup is damaged: {verdict}")
