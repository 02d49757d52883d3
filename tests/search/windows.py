"""A window over the newest posts, for tests: opened, filled, and looked into."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from pytest_django import Settings

from redistools import keys
from redistools.client import get_client
from redistools.servers.cluster import GuardedCluster
from search.index.window import feeding, filling, segments, server
from search.tasks import keep_window
from taskqueue.drain import drain


@pytest.fixture
def window(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody writes meanwhile, so nothing waits for who might. Runs are short."""
    settings.SEARCH_WINDOW = 10**6
    monkeypatch.setattr(filling, "UNSETTLED", timedelta(0))
    monkeypatch.setattr(keys, "SEGMENTS_OF_A_RUN", 2)


@pytest.fixture
def small_segments(window: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeding, "ROOM", 4)
    monkeypatch.setattr(feeding, "SPARE", 3)


def keep_all() -> None:
    keep_window.call()
    drain()


def numbers() -> list[int]:
    return list(segments.read().newest_first)


def state(number: int) -> dict[str, str]:
    held: Any = get_client().hgetall(keys.search_segment(number))
    return dict(held)


@contextmanager
def too_small_sets() -> Iterator[None]:
    """The servers are set as Redis comes."""
    set_entries(512)
    try:
        yield
    finally:
        set_entries(server.NEEDED)


def set_entries(most: int) -> None:
    client = get_client()
    where = {"target_nodes": client.PRIMARIES} if isinstance(client, GuardedCluster) else {}
    client.config_set(server.OPTION, most, **where)
    server._keeps_sets_compact.cache_clear()
