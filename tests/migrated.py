"""One migrated, empty database for all test processes and for the sites that they start.

To migrate takes seconds of a processor, to copy nothing.
"""

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from tests import postgres
from tests.running_site import site_environment, temporary_folder

NAME = "socialsite.sqlite3"


@pytest.fixture(scope="session")
def migrated_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made by the first process that needs it; the others wait. In PostgreSQL it is there already,
    and needs no file.
    """
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # which the processes share
    if postgres.is_wanted():
        return folder
    with (folder / "migrating").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / NAME).exists():
            _migrate(folder / NAME)
    return folder / NAME


def _migrate(database: Path) -> None:
    with temporary_folder() as folder:
        _run_migrations(site_environment(folder))
        shutil.move(folder / NAME, database)


def migrate_postgres() -> None:
    """Makes the database that the others are copies of."""
    postgres.create_database(postgres.MIGRATED)
    with temporary_folder() as folder:
        url = postgres.url_of(postgres.MIGRATED)
        _run_migrations(site_environment(folder, DATABASE_URL=url))


def _run_migrations(environment: dict[str, str]) -> None:
    command = [sys.executable, "manage.py", "migrate", "--skip-checks", "-v0"]
    subprocess.run(command, cwd=settings.BASE_DIR, env=environment, check=True, timeout=250)


def copy_database(source: Path, folder: Path) -> None:
    """For a site in this folder, or for its workers alone."""
    if postgres.is_wanted():
        postgres.copy_database(folder.name)
    else:
        shutil.copy(source, folder / NAME)


def database_url() -> str:
    """Of the test process's own."""
    name = str(connection.settings_dict["NAME"])
    return postgres.url_of(name) if postgres.is_wanted() else f"sqlite:///{name}"
