"""What a test run prints at its beginning."""

from pathlib import Path

import pytest

from processes.embedded_redis import server_binary
from redistools.client import Client


def test_a_run_names_its_redis(pytestconfig: pytest.Config, redis_server: Client) -> None:
    lines = pytestconfig.hook.pytest_report_header(config=pytestconfig, start_path=Path())
    version = redis_server.info("server")["redis_version"]
    assert f"redis: {version} ({server_binary()})" in lines
