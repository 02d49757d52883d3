"""A real Redis for the test process, and key names of its own for each test."""

import shutil
import uuid
from collections.abc import Iterator

import pytest
from django.conf import settings as site
from pytest_django import Settings

from socialsite import embedded_redis
from tests.cast import alice, bob, carol

__all__ = ["alice", "bob", "carol"]


@pytest.fixture(scope="session", autouse=True)
def redis_server() -> Iterator[None]:
    with embedded_redis.running(site.REDIS_SOCKET):
        yield
    shutil.rmtree(site.DATA_DIR, ignore_errors=True)


@pytest.fixture(autouse=True)
def key_prefix(settings: Settings) -> str:
    settings.REDIS_KEY_PREFIX = f"{uuid.uuid4().hex[:8]}:"
    return str(settings.REDIS_KEY_PREFIX)
