"""Samples of gauges, taken by every worker process: the highest of each moment stays, so it does
not matter how many there are. Not by a task: it would wait in the very queue that it looks at.
"""

import time

from taskqueue.backend import get_backend
from taskqueue.stats import queue_stats

from ..structures import levels
from .buffer import buffer

EVERY_SECONDS = 5


class Sampler:
    def __init__(self) -> None:
        self._due = 0.0

    def __call__(self) -> None:
        if time.monotonic() >= self._due:
            self._due = time.monotonic() + EVERY_SECONDS - 0.5
            sample()


def sample() -> None:
    """A round trip for each queue, and one for the streams."""
    for name in get_backend("default").all_shards():
        stats = queue_stats(name)
        buffer.peak("queue_depth", stats.ready, name)
        buffer.peak("queue_age", 1000 * (stats.oldest_seconds or 0), name)
    buffer.peak("stream_clients", levels.total("stream_clients"))
