from collections.abc import Iterator
from contextlib import closing

import pytest
from pytest_django import Settings

from redistools.client import Client, connect


@pytest.fixture(params=["server", "cluster"])
def client(request: pytest.FixtureRequest, settings: Settings) -> Iterator[Client]:
    is_cluster = request.param == "cluster"
    url = request.getfixturevalue("redis_cluster_url") if is_cluster else settings.REDIS_URL
    with closing(connect(url)) as client:
        yield client


@pytest.fixture
def key(key_prefix: str) -> str:
    return f"{key_prefix}set:{{1}}:a"


@pytest.fixture
def other(key_prefix: str) -> str:
    """In the slot of `key`."""
    return f"{key_prefix}set:{{1}}:b"


@pytest.fixture
def scattered(key_prefix: str) -> list[str]:
    """Keys on all nodes of a cluster."""
    return [f"{key_prefix}set:{{{number}}}:c" for number in range(9)]
