"""Clients of every kind of Redis that `REDIS_URL` can name."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from pytest_django import Settings

from redistools.client import Client, connect


@pytest.fixture(params=["server", "sentinel", "cluster"])
def any_redis_url(request: pytest.FixtureRequest, settings: Settings) -> str:
    if request.param == "server":
        return str(settings.REDIS_URL)
    url: str = request.getfixturevalue(f"redis_{request.param}_url")
    return url


@pytest.fixture
def any_client(any_redis_url: str) -> Iterator[Client]:
    with closing(connect(any_redis_url)) as client:
        yield client
