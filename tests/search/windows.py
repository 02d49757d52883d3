"""A window over the newest posts, for tests: opened, filled, and looked into."""

from datetime import timedelta

import pytest
from pytest_django import Settings

from redistools import keys
from redistools.client import get_client
from search.index.window import feeding, filling, segments
from search.tasks import keep_window
from taskqueue.drain import drain


@pytest.fixture
def window(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody writes meanwhile, so nothing waits for who might."""
    settings.SEARCH_WINDOW = 10**6
    monkeypatch.setattr(filling, "UNSETTLED", timedelta(0))


@pytest.fixture
def small_segments(window: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeding, "ROOM", 4)
    monkeypatch.setattr(feeding, "SPARE", 3)


def keep_all() -> None:
    keep_window.call()
    drain()


def numbers() -> list[int]:
    return list(segments.read().newest_first())


def state(number: int) -> dict[str, str]:
    return get_client().hgetall(keys.search_segment(number))
