from collections.abc import Iterator

import pytest
from pytest_django import Settings

from insight.recording import middleware
from insight.recording.buffer import buffer
from insight.structures import visitors
from insight.structures.viewed import Memory


@pytest.fixture
def measuring(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As in a process that measures, but nothing is sent before the test does (`flush`)."""
    settings.INSIGHT = True
    monkeypatch.setattr(middleware, "memory", Memory())
    visitors.memory.clear()
    buffer.take()
    buffer.is_on = True
    yield
    buffer.is_on = False
    buffer.take()
    visitors.memory.clear()
