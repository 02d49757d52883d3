"""`make demo` on a machine that has never run the site."""

import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from tests.running_site import site_environment, temporary_folder


@pytest.mark.long
def test_an_empty_folder_gets_a_community_without_a_running_site() -> None:
    with temporary_folder() as folder:
        seeded = manage("seed_demo", "--users", "20", "--statuses", "150", folder=folder)
        assert "Log in as demo, with the password" in seeded
        assert "Redis agrees with SQL" in manage("check_timelines", folder=folder)
        assert "searches find what SQL has" in manage("rebuild_search", folder=folder)
        assert "there already" in manage("seed_demo", folder=folder)


def manage(*arguments: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=settings.BASE_DIR,
        env=site_environment(folder),
        capture_output=True,
        text=True,
        timeout=480,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
