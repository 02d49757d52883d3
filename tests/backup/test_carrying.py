"""From SQLite to PostgreSQL and back: `backup`, then `restore` with another DATABASE_URL."""

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.conf import settings

from tests import postgres
from tests.running_site import site_environment, temporary_folder

pytestmark = postgres.needed

LOGGED = (
    "from staff import roles, services; from users.models import User; "
    "services.give_role(user=User.objects.first(), role=roles.Role.SUPPORT)"
)
FORGED = """
from django.db import connection
connection.cursor().execute("DELETE FROM staff_auditentry")
"""
NEXT_ID = "from tests.cast import make_user; print(make_user('newcomer').pk)"


def manage(folder: Path, *arguments: str, database: str = "") -> "subprocess.CompletedProcess[str]":
    """On SQLite, or on this database."""
    url = postgres.url_of(database) if database else ""
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=settings.BASE_DIR,
        env=site_environment(folder, DATABASE_URL=url),
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )


def succeed(folder: Path, *arguments: str, database: str = "") -> str:
    done = manage(folder, *arguments, database=database)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def seeded() -> Iterator[Path]:
    with temporary_folder() as folder:
        succeed(folder, "seed_demo", "--users", "25", "--statuses", "250")
        succeed(folder, "shell", "-v0", "-c", LOGGED)
        with closing(sqlite3.connect(folder / "socialsite.sqlite3")) as connection:
            # As if the last thousand accounts were deleted.
            connection.execute("UPDATE sqlite_sequence SET seq = 1000 WHERE name = 'users_user'")
            connection.commit()
        yield folder


@pytest.fixture(scope="module")
def archive(seeded: Path) -> Path:
    succeed(seeded, "backup", str(seeded / "site.zip"))
    return seeded / "site.zip"


@pytest.fixture
def folder() -> Iterator[Path]:
    """An empty one, and an empty database of its name."""
    with temporary_folder() as folder:
        postgres.create_database(folder.name)
        yield folder


def rows_in(archive: Path) -> dict[str, list[Any]]:
    """Of each table, sorted. JSON in a row is compared by its meaning."""
    with ZipFile(archive) as file:
        tables = [name for name in file.namelist() if name.startswith("tables/")]
        return {name: _rows(file.read(name)) for name in tables}


def _rows(content: bytes) -> list[Any]:
    columns, *rows = map(json.loads, content.splitlines())
    parsed = [
        [
            (name, json.loads(value) if str(value).startswith(("{", "[")) else value)
            for name, value in zip(columns, row, strict=True)
        ]
        for row in rows
    ]
    return sorted((sorted(row, key=lambda it: it[0]) for row in parsed), key=repr)


def structure(target: str) -> list[tuple[Any, ...]]:
    """All indexes and constraints."""
    indexes = "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'"
    constraints = """
        SELECT conrelid::regclass || conname || pg_get_constraintdef(oid) FROM pg_constraint
        WHERE connamespace = 'public'::regnamespace
    """
    with postgres.connect(target) as connection:
        return sorted(connection.execute(f"{indexes} UNION ALL {constraints}"))


def indexes_of(folder: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(folder / "socialsite.sqlite3")) as connection:
        return sorted(connection.execute("SELECT name, sql FROM sqlite_master WHERE sql NOT NULL"))


def check(folder: Path, database: str = "") -> None:
    checked = manage(folder, "check_timelines", database=database)
    assert checked.stdout.endswith(": Redis agrees with SQL\n"), checked.stdout


def test_the_rows_are_the_same_in_postgres_and_back_in_sqlite(
    seeded: Path, archive: Path, folder: Path
) -> None:
    succeed(folder, "restore", str(archive), database=folder.name)
    check(folder, folder.name)
    assert structure(folder.name) == structure(postgres.MIGRATED)
    succeed(folder, "backup", str(folder / "second.zip"), database=folder.name)
    assert rows_in(folder / "second.zip") == rows_in(archive)

    with temporary_folder() as back:
        succeed(back, "restore", str(folder / "second.zip"))
        check(back)
        assert indexes_of(back) == indexes_of(seeded)
        succeed(back, "backup", str(back / "third.zip"))
        assert rows_in(back / "third.zip") == rows_in(archive)
        for place, database in ((folder, folder.name), (back, "")):
            made = succeed(place, "shell", "-v0", "-c", NEXT_ID, database=database)
            assert made == "1001\n", "an id never comes back"
            refused = manage(place, "shell", "-v0", "-c", FORGED, database=database)
            assert "append-only" in refused.stderr, "what was logged before stays, too"


@pytest.mark.parametrize("is_postgres", [True, False])
def test_a_row_that_refers_to_nothing_is_named_and_nothing_is_kept(
    seeded: Path, folder: Path, is_postgres: bool
) -> None:
    database = folder.name if is_postgres else ""
    with temporary_folder() as broken:
        shutil.copytree(seeded, broken, dirs_exist_ok=True)
        with closing(sqlite3.connect(broken / "socialsite.sqlite3")) as connection:
            # A boost, since nobody boosts a post twice, might break another rule.
            some = "id % 7 = 0 AND boost_of_id IS NULL"
            connection.execute(f"UPDATE statuses_status SET author_id = 999 WHERE {some}")
            connection.commit()
        succeed(broken, "backup", str(folder / "broken.zip"))
    refused = manage(folder, "restore", str(folder / "broken.zip"), database=database)
    assert refused.returncode == 1
    assert "refuses what the backup holds, and stays empty" in refused.stderr
    assert "999" in refused.stderr
    again = manage(folder, "restore", str(folder / "broken.zip"), database=database)
    assert "stays empty" in again.stderr, "it can be tried again"
