"""The worker: lanes that run tasks, and threads that keep leases, wake-ups and chores."""

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import TypeVar

from django.db import close_old_connections, connections
from django.utils.module_loading import autodiscover_modules
from redis.exceptions import RedisError

from . import outbox
from .backend import RedisBackend
from .periodic import Timetable
from .recovery.watch import Watch
from .store import Queue
from .working.bell import Bell
from .working.chores import ChoreThread, LeaseChores, sweep_outbox
from .working.identity import new_worker_id, take_back
from .working.lane import Lane
from .working.runner import Runner

# An idle worker looks for itself this often, in case a wake-up got lost with a connection.
NAP_SECONDS = 1.0
# How long a listener blocks: shorter than the listening client's socket timeout.
LISTEN_SECONDS = 5.0
RECONNECT_SECONDS = 0.5
# Python handles a signal once its main thread runs again: one that comes in the moment before it
# waits would not be handled until the wait ends.
SIGNAL_SECONDS = 0.5
GRACE_SECONDS = 20.0

T = TypeVar("T")

logger = logging.getLogger(__name__)


class Outage:
    """Says once that Redis went away, and once that it is back, whichever thread notices."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._since: float | None = None

    def begins(self, error: Exception) -> None:
        with self._lock:
            if self._since is None:
                self._since = time.monotonic()
                logger.error("Redis can't be used (%s); waiting for it", error)

    def ends(self) -> None:
        if self._since is None:
            return
        with self._lock:
            if self._since is not None:
                logger.info("Redis is back after %.1f s", time.monotonic() - self._since)
                self._since = None


class Worker:
    """Runs tasks until `stop()`, or, with `burst`, until nothing is ready."""

    def __init__(
        self,
        backend: RedisBackend,
        queue_names: Sequence[str] = (),
        *,
        concurrency: int = 1,
        burst: bool = False,
    ) -> None:
        self.id = new_worker_id()
        self.queue_names = list(queue_names) or backend.queue_names()
        self._backend = backend
        self._burst = burst
        self._stopping = threading.Event()
        self._crashed = False
        self._bell = Bell()
        self._outage = Outage()
        runner = Runner(backend)
        self._queues = [Queue(it) for name in self.queue_names for it in backend.shards(name)]
        lane = partial(Lane, runner, self._queues, worker_id=self.id, nap=NAP_SECONDS)
        self._lanes = [lane(tidy_up=close_old_connections) for _ in range(concurrency)]

    def stop(self) -> None:
        """Lets running tasks finish and returns the others. For other threads than `run`'s."""
        self._stopping.set()

    def run(self) -> bool:
        """Returns False if a lane crashed or had to be left behind."""
        autodiscover_modules("tasks")
        if self._burst:
            outbox.sweep(older_than=timedelta(0), goes_last=False)
        chores = self._start_chores()
        lanes = [self._start(self._work, lane) for lane in self._lanes]
        self._wait(lanes)
        logger.info("Worker %s stops", self.id)
        self._bell.close()
        in_time = self._finish(lanes)
        for thread in chores:
            thread.end()
        return in_time and not self._crashed

    def _start_chores(self) -> list[ChoreThread]:
        leases = LeaseChores(self._lanes, lease=self._backend.settings.LEASE)
        threads = [ChoreThread("leases", [self._succeed, leases.relieve, leases.renew])]
        if not self._burst:
            timetable = Timetable(self._queues, backend=self._backend)
            # Apart from the leases, which must not wait for a locked database.
            chores = [timetable.queue_due, sweep_outbox, Watch().look]
            threads.append(ChoreThread("chores", chores))
            for queue in self._queues:
                self._start(self._listen, queue)
        for thread in threads:
            thread.start()
        return threads

    def _succeed(self) -> float:
        """Once: goes on with what dead workers of this host had begun."""
        if taken := take_back(self._queues):
            logger.info("Worker %s takes over %d tasks of a dead one", self.id, taken)
        return threading.TIMEOUT_MAX

    def _start(self, work: Callable[[T], None], argument: T) -> threading.Thread:
        def guarded() -> None:
            try:
                work(argument)
            except BaseException:
                # A worker with one lane less would look healthy; better to be restarted.
                words = "Worker %s stops: one of its threads crashed"
                logger.critical(words, self.id, exc_info=True)
                self._crashed = True
                self._stopping.set()
            finally:
                connections.close_all()  # those of this thread

        thread = threading.Thread(target=guarded, name=work.__name__, daemon=True)
        thread.start()
        return thread

    def _work(self, lane: Lane) -> None:
        while not self._stopping.is_set():
            try:
                claims = lane.exchange()
            except RedisError as error:
                self._outage.begins(error)
                self._stopping.wait(RECONNECT_SECONDS)
                continue
            self._outage.ends()
            if lane.has_pending:
                self._bell.hand_watch_over()
                lane.run_pending(stopping=self._stopping.is_set)
            elif self._burst:
                return
            else:
                self._bell.sleep(min(NAP_SECONDS, claims.next_in or NAP_SECONDS))
        self._wind_up(lane)

    def _wind_up(self, lane: Lane) -> None:
        try:
            lane.relieve()
        except RedisError as error:
            logger.warning("Worker %s leaves its tasks to their leases: %s", self.id, error)

    def _listen(self, queue: Queue) -> None:
        """Wakes an idle lane when the queue has work; if none is, leaves it to another worker."""
        while not self._stopping.is_set():
            self._bell.somebody_sleeps.wait()
            try:
                if queue.wait_for_work(seconds=LISTEN_SECONDS) and not self._bell.ring():
                    queue.pass_wake_up_on()
            except RedisError:
                self._stopping.wait(RECONNECT_SECONDS)

    def _wait(self, lanes: Sequence[threading.Thread]) -> None:
        if not self._burst:
            while not self._stopping.wait(SIGNAL_SECONDS):
                pass
            return
        for lane in lanes:
            while lane.is_alive():
                lane.join(SIGNAL_SECONDS)

    def _finish(self, lanes: Sequence[threading.Thread]) -> bool:
        deadline = time.monotonic() + GRACE_SECONDS
        for thread in lanes:
            while thread.is_alive() and (left := deadline - time.monotonic()) > 0:
                thread.join(min(left, SIGNAL_SECONDS))
        late = [lane for lane, thread in zip(self._lanes, lanes, strict=True) if thread.is_alive()]
        for lane in late:
            logger.warning("Worker %s gives back a task that takes too long to wait for", self.id)
            with contextlib.suppress(RedisError):  # then its lease brings it back
                lane.give_back(list(lane.held.values()))
        return not late
