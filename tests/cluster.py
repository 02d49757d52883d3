"""The Redis Cluster of a test run: `TEST_REDIS=cluster` asks for one, of three masters and three
replicas.

The process that begins the run starts it; all test processes share it, each test under a key prefix
of its own.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.ports import free_cluster_ports

NODES = 6


def is_wanted() -> bool:
    return os.environ.get("TEST_REDIS") == "cluster"


on_a_server = pytest.mark.skipif(is_wanted(), reason="is about a single server")


def ports() -> list[int]:
    """Those of the nodes, for all processes of the run."""
    if "TEST_REDIS_PORTS" not in os.environ:
        os.environ["TEST_REDIS_PORTS"] = " ".join(map(str, free_cluster_ports(NODES)))
    return [int(port) for port in os.environ["TEST_REDIS_PORTS"].split()]


def url() -> str:
    return "redis+cluster://" + ",".join(f"127.0.0.1:{port}" for port in ports())


@contextmanager
def running() -> Iterator[None]:
    # Which needs the settings, and they need us.
    from tests.redis_servers import STEADY_MS, running_cluster

    folder = Path(tempfile.mkdtemp(prefix="cluster-"))
    folders = [folder / str(port) for port in ports()]
    for each in folders:
        each.mkdir()
    try:
        with running_cluster(folders, with_replicas=True, ports=ports(), node_timeout_ms=STEADY_MS):
            yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)
