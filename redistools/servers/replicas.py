"""Which replicas keep up with their masters.

A thread asks each master once a second how much it has written, and what its replicas have
confirmed. A replica that has confirmed what its master had written at some moment knows everything
up to then; while that is recent enough, it may be asked. One that fails is left alone for a while.
"""

import logging
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import redis

from ..staleness import STALE_SECONDS
from .cluster import GuardedCluster

if TYPE_CHECKING:
    from ..client import Client

PAUSE_SECONDS = 1.0
# After an error.
LEFT_ALONE_SECONDS = 5.0
# Without anybody asking; then the thread ends.
IDLE_SECONDS = 30.0
# Where there is only one master.
ONLY = ""

logger = logging.getLogger(__name__)

Address = tuple[str, int]


class Replica(NamedTuple):
    address: Address
    client: redis.Redis


class Sample(NamedTuple):
    at: float
    offset: int


class Lag:
    def __init__(self) -> None:
        self._samples: deque[Sample] = deque()
        # Each replica knows everything that its master had written by then.
        self.known_until: dict[Address, float] = {}

    def note(self, at: float, replication: Mapping[str, Any]) -> None:
        """`replication` is what the master says about itself (INFO), asked at that time."""
        written = Sample(at, replication["master_repl_offset"])
        if self._samples and written.offset < self._samples[-1].offset:
            self._samples.clear()  # another history
        self._samples.append(written)
        while self._samples[0].at < at - STALE_SECONDS:
            self._samples.popleft()
        named = [it for name, it in replication.items() if name.startswith("slave")]
        replicas = [it for it in named if isinstance(it, dict)]  # slave0, slave1 …
        self.known_until = {
            (it["ip"], it["port"]): moment
            for it in replicas
            if it["state"] == "online" and (moment := self._reached(it["offset"]))
        }

    def _reached(self, offset: int) -> float | None:
        return next((it.at for it in reversed(self._samples) if it.offset <= offset), None)


class Replicas:
    def __init__(self, client: "Client", connect: Callable[[Address], redis.Redis]) -> None:
        self._client, self._connect = client, connect
        self._lags: dict[str, Lag] = {}
        self._clients: dict[Address, redis.Redis] = {}
        self._left_until: dict[Address, float] = {}
        self._asked_at = 0.0
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def of(self, master: str) -> Replica | None:
        """One that keeps up; None if there is none, or if we don't know yet."""
        self._asked_at = now = time.monotonic()
        if self._thread is None or not self._thread.is_alive():
            self._start()
        lag = self._lags.get(master)
        known = lag.known_until.items() if lag else ()
        usable = [it for it, until in known if self._is_usable(it, until, now)]
        return self._replica(random.choice(usable)) if usable else None  # noqa: S311 - no secret

    def _is_usable(self, address: Address, known_until: float, now: float) -> bool:
        return known_until > now - STALE_SECONDS and self._left_until.get(address, 0) < now

    def _replica(self, address: Address) -> Replica:
        with self._lock:
            if address not in self._clients:
                self._clients[address] = self._connect(address)
        return Replica(address, self._clients[address])

    def leave_alone(self, replica: Replica, why: object) -> None:
        logger.warning("The replica %s:%s is left alone for a while: %s", *replica.address, why)
        self._left_until[replica.address] = time.monotonic() + LEFT_ALONE_SECONDS

    def _start(self) -> None:
        """Also after a fork, which leaves threads behind."""
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._watch, daemon=True, name="replicas")
                self._thread.start()

    def _watch(self) -> None:
        while time.monotonic() < self._asked_at + IDLE_SECONDS:
            try:
                self.look()
            except Exception as error:  # what we know of replicas ends by itself
                logger.debug("The masters don't say how their replicas are: %s", error)
            time.sleep(PAUSE_SECONDS)

    def look(self) -> None:
        for name, master in _masters(self._client).items():
            at = time.monotonic()
            replication: Any = master.info("replication")
            self._lags.setdefault(name, Lag()).note(at, replication)


def _masters(client: "Client") -> dict[str, redis.Redis]:
    if not isinstance(client, GuardedCluster):
        return {ONLY: client}
    cluster: Any = client  # typed in part
    nodes = cluster.get_primaries()
    return {node.name: cluster.get_redis_connection(node) for node in nodes}
