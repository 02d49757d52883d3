"""Sends what a process has measured: once a second, in a thread of its own, in one round trip.

No request waits for it. A process that is killed loses its last second, one that ends sends it.
While Redis is known to be away nothing is sent; a batch that fails is dropped and counted, never
sent again: Redis may have done it.
"""

import atexit
import logging
import threading
import time
from collections.abc import Callable, Iterable

from django.conf import settings
from django.db import close_old_connections

from redistools.client import get_client, is_away
from redistools.outages.errors import STORE_ERRORS
from redistools.scripts import Batch

from ..log import store as log_store
from ..log.message import Speaker
from ..places.recording import lookups
from ..structures import durations, levels, series, timings, totals, viewed, visitors
from . import calls, log_handler
from .buffer import Recorded, buffer
from .log_handler import unheard

# A little after the second, so that it is over: its counts go into one sample.
AFTER_SECOND = 0.05

# What else a process does before it sends: it may take samples of gauges.
Sampler = Callable[[], object]

logger = logging.getLogger(__name__)


@unheard
def flush() -> None:
    """One round trip; another once a day for the key of visitors, and where posts were viewed."""
    if is_away():
        return
    recorded = buffer.take()
    try:
        send(recorded)
    except STORE_ERRORS as error:
        buffer.lose(recorded)
        visitors.memory.clear()
        lookups.clear()
        logger.debug("What was measured is dropped: %s", error)


def send(recorded: Recorded) -> None:
    batch = Batch(get_client())
    for (name, second), by in recorded.counts.items():
        series.add(batch, name, second, by)
    for (name, second), value in recorded.peaks.items():
        series.raise_to(batch, name, second, value)
    for name, value in recorded.levels.items():
        levels.add(batch, name, value)
    for (kind, name, hour), timed in recorded.timed.items():
        timings.add(batch, kind, name, timed.sketch, hour=hour, slowest_at=timed.slowest_at)
    for (kind, second), buckets in recorded.durations.items():
        durations.add(batch, kind, second, buckets)
    totals.add(batch, recorded)
    visitors.add(batch, recorded.visits)
    viewed.add(batch, posts=recorded.viewed_posts, tags=recorded.viewed_tags)
    log_store.add(batch, recorded.logged, recorded.tracebacks)
    lookups.add(batch, recorded.visits)
    lookups.take(batch.run())


class Sender(threading.Thread):
    def __init__(self, samplers: Iterable[Sampler]) -> None:
        super().__init__(name="insight", daemon=True)
        self._samplers = list(samplers)
        self._ended = threading.Event()

    def run(self) -> None:
        while not self._ended.wait(1 + AFTER_SECOND - time.time() % 1):
            self._turn()

    def end(self) -> None:
        """Sends the last time."""
        self._ended.set()
        self.join(timeout=5.0)
        attempt(flush)

    def _turn(self) -> None:
        for sampler in self._samplers:
            attempt(sampler)
        attempt(flush)
        close_old_connections()


@unheard
def attempt(work: Callable[[], object]) -> None:
    try:
        work()
    except STORE_ERRORS as error:
        logger.debug("Nothing was measured: %s", error)
    except Exception:  # measuring must not end for the process, nor end the process
        logger.exception("Something could not be measured")


_sender: Sender | None = None


def start(*samplers: Sampler, speaker: Speaker = "web") -> None:
    """From here on this process measures, if the site does. A child that it forks does not."""
    global _sender
    if not settings.INSIGHT or _sender is not None:
        return
    buffer.is_on = True
    calls.listen()
    log_handler.listen(speaker)
    _sender = Sender(samplers)
    _sender.start()
    atexit.register(stop)


def stop() -> None:
    global _sender
    if _sender is not None:
        buffer.is_on = False
        log_handler.listen_no_more()
        calls.listen_no_more()
        _sender.end()
        _sender = None
