"""One migrated, empty database for all test processes, and for the sites that they start: these
get the collected static files too.

To migrate and to collect takes seven seconds of a processor, to copy nothing.
"""

import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from tests import postgres
from tests.made_once import made_once, shared_folder
from tests.running_site import copy_prepared, site_environment, temporary_folder

NAME = "socialsite.sqlite3"
# One process for both: to load the site's code takes as long as to collect.
PREPARE = """
import django
django.setup()
from django.core.management import call_command
from processes import collecting
call_command("migrate", skip_checks=True, verbosity=0)
collecting.collect()
"""


@pytest.fixture(scope="session")
def migrated_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made by the first process that needs it; the others wait. In PostgreSQL it is there already,
    and needs no file.
    """
    if postgres.is_wanted():
        return shared_folder(tmp_path_factory)
    return made_once(tmp_path_factory, "migrated", _prepare) / NAME


def _prepare(folder: Path) -> None:
    environment = site_environment(folder, DJANGO_SETTINGS_MODULE="socialsite.settings")
    _run(environment, "-c", PREPARE)


def migrate_postgres() -> None:
    """Makes the database that the others are copies of."""
    postgres.create_database(postgres.MIGRATED)
    with temporary_folder() as folder:
        url = postgres.url_of(postgres.MIGRATED)
        environment = site_environment(folder, DATABASE_URL=url)
        _run(environment, "manage.py", "migrate", "--skip-checks", "-v0")


def _run(environment: dict[str, str], *arguments: str) -> None:
    command = [sys.executable, *arguments]
    subprocess.run(command, cwd=settings.BASE_DIR, env=environment, check=True, timeout=250)


def copy_database(source: Path, folder: Path) -> None:
    """For a site in this folder, or for its workers alone."""
    if postgres.is_wanted():
        postgres.copy_database(folder.name)
    else:
        copy_prepared(source, folder)


def database_url() -> str:
    """Of the test process's own."""
    name = str(connection.settings_dict["NAME"])
    return postgres.url_of(name) if postgres.is_wanted() else f"sqlite:///{name}"
