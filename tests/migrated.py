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

from tests.running_site import site_environment, temporary_folder

NAME = "socialsite.sqlite3"


@pytest.fixture(scope="session")
def migrated_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made by the first process that needs it; the others wait."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # which the processes share
    with (folder / "migrating").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / NAME).exists():
            _migrate(folder / NAME)
    return folder / NAME


def _migrate(database: Path) -> None:
    command = [sys.executable, "manage.py", "migrate", "--skip-checks", "-v0"]
    with temporary_folder() as folder:
        environment = site_environment(folder)
        subprocess.run(command, cwd=settings.BASE_DIR, env=environment, check=True, timeout=100)
        shutil.move(folder / NAME, database)


def copy_database(source: Path, folder: Path) -> None:
    """For a site in this folder, or for its workers alone."""
    shutil.copy(source, folder / NAME)
