"""The task queue in a project of its own, without this site's settings."""

import os
import subprocess
import sys
from pathlib import Path

from django.conf import settings as site
from django_tasks import exceptions

from taskqueue.exceptions import InvalidTask
from tests.redis_servers import running_server

PROJECT = "tests.taskqueue.alone"


def test_the_queue_serves_another_project(tmp_path: Path) -> None:
    with running_server(tmp_path) as port:
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONWARNINGS": "error",
            "DJANGO_SETTINGS_MODULE": f"{PROJECT}.settings",
            "REDIS_URL": f"redis://127.0.0.1:{port}/0",
        }
        run = subprocess.run(
            [sys.executable, "-m", "django", "test", PROJECT],
            cwd=site.BASE_DIR,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=100,
        )
    assert run.returncode == 0, run.stdout
    assert "Ran 0 tests" not in run.stdout, run.stdout


def test_its_exceptions_have_the_names_of_the_installed_version() -> None:
    names = {"InvalidTask", "InvalidTaskError"} & set(dir(exceptions))
    assert InvalidTask in [getattr(exceptions, name) for name in names]
