"""From SQLite to PostgreSQL."""

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from processes.data_folder import held_data_folder
from tests import postgres
from tests.running_site import site_environment, temporary_folder

pytestmark = postgres.needed

NEXT_ID = "from tests.cast import make_user; print(make_user('newcomer').pk)"
TAMPER = """
    CREATE FUNCTION tamper() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN NEW.text := 'something else'; RETURN NEW; END $$;
    CREATE TRIGGER tamper BEFORE INSERT ON statuses_status FOR EACH ROW EXECUTE FUNCTION tamper();
"""


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


@pytest.fixture(scope="module")
def seeded() -> Iterator[Path]:
    with temporary_folder() as folder:
        made = manage(folder, "seed_demo", "--users", "25", "--statuses", "250")
        assert made.returncode == 0, made.stderr
        with closing(sqlite3.connect(folder / "socialsite.sqlite3")) as connection:
            # As if the last thousand accounts were deleted.
            connection.execute("UPDATE sqlite_sequence SET seq = 1000 WHERE name = 'users_user'")
            connection.commit()
        yield folder


@pytest.fixture
def folder(seeded: Path) -> Iterator[Path]:
    with temporary_folder() as folder:
        shutil.copytree(seeded, folder, dirs_exist_ok=True)
        yield folder


@pytest.fixture
def empty(folder: Path) -> str:
    postgres.create_database(folder.name)
    return folder.name


def move(folder: Path, target: str) -> "subprocess.CompletedProcess[str]":
    return manage(folder, "move_stores", "--database", postgres.url_of(target))


def contents(folder: Path, target: str) -> tuple[list[object], list[object]]:
    """Who posted what when, in both."""
    statement = """
        SELECT s.id, s.text, CAST(s.is_sensitive AS int), u.username, u.is_active
        FROM statuses_status s JOIN users_user u ON u.id = s.author_id ORDER BY s.id
    """
    with (
        closing(sqlite3.connect(folder / "socialsite.sqlite3")) as old,
        postgres.connect(target) as new,
    ):
        return list(old.execute(statement)), list(new.execute(statement))


def structure(target: str) -> list[tuple[Any, ...]]:
    """All indexes and constraints."""
    indexes = "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'"
    constraints = """
        SELECT conrelid::regclass || conname || pg_get_constraintdef(oid) FROM pg_constraint
        WHERE connamespace = 'public'::regnamespace
    """
    with postgres.connect(target) as connection:
        return sorted(connection.execute(f"{indexes} UNION ALL {constraints}"))


def test_everything_arrives_and_redis_fits(folder: Path, empty: str) -> None:
    moved = move(folder, empty)
    assert moved.returncode == 0, moved.stderr
    assert "rows moved to PostgreSQL and compared" in moved.stdout
    old, new = contents(folder, empty)
    assert len(old) > 250
    assert new == old
    assert structure(empty) == structure(postgres.MIGRATED)
    checked = manage(folder, "check_timelines", database=empty)
    assert checked.stdout.endswith(": Redis agrees with SQL\n"), checked.stdout
    created = manage(folder, "shell", "-v0", "-c", NEXT_ID, database=empty)
    assert created.stdout == "1001\n", "an id never comes back"

    again = move(folder, empty)
    assert again.returncode == 1
    assert "The target database has tables with rows" in again.stderr


def test_what_arrives_changed_is_noticed_and_not_kept(folder: Path) -> None:
    postgres.copy_database(folder.name)  # where a site was started, but is empty
    with postgres.connect(folder.name) as target:
        target.execute(TAMPER)
        refused = move(folder, folder.name)
        assert refused.returncode == 1
        assert "statuses_status arrived with other contents" in refused.stderr
        assert target.execute("SELECT count(*) FROM users_user").fetchone() == (0,)
        target.execute("DROP TRIGGER tamper ON statuses_status")
    assert move(folder, folder.name).returncode == 0, "it can be tried again"


def test_a_row_that_refers_to_nothing_is_named(folder: Path, empty: str) -> None:
    with closing(sqlite3.connect(folder / "socialsite.sqlite3")) as connection:
        connection.execute("UPDATE statuses_status SET author_id = 999 WHERE id % 7 = 0")
        connection.commit()
    refused = move(folder, empty)
    assert refused.returncode == 1
    assert "refuses what SQLite holds" in refused.stderr
    assert "999" in refused.stderr


def test_a_running_site_is_not_moved(folder: Path, empty: str) -> None:
    with held_data_folder(folder):
        refused = move(folder, empty)
    assert refused.returncode == 1
    assert "already uses the data folder" in refused.stderr


def test_a_table_of_somebody_else_is_left_alone(folder: Path, empty: str) -> None:
    with postgres.connect(empty) as target:
        target.execute("CREATE TABLE accounts (id int)")
    refused = move(folder, empty)
    assert "or of another program" in refused.stderr


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("mysql://host/name", "--database must look like"),
        ("sqlite:////tmp/x", "--database must look like postgres://"),
        ("postgres://nobody@127.0.0.1:1/none", "The target can't be used"),
    ],
)
def test_bad_targets_are_named(folder: Path, url: str, complaint: str) -> None:
    refused = manage(folder, "move_stores", "--database", url)
    assert refused.returncode == 1
    assert complaint in refused.stderr
