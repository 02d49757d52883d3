"""While a store is known to be away, nobody waits for it.

A wait in vain opens the breaker of its process, and everybody fails at once. One thread probes the
store until it answers, and closes the breaker.
"""

import logging
import os
import threading
import time
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar
from weakref import WeakSet

import redis
from redis.exceptions import ResponseError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..client import Client

# Between two probes; each waits as long as a command may take.
PAUSE_SECONDS = 0.2

logger = logging.getLogger(__name__)


class Breaker(ABC):
    """One store as a process sees it. Closed, it costs one look at an attribute."""

    store: ClassVar[str]
    refusal: ClassVar[type[Exception]]

    def __init__(self) -> None:
        self.error: Exception | None = None  # why it is open; None while it is closed
        # How often a connection was lost: each time, the store may have died.
        self.losses = 0
        self._lock = threading.Lock()
        self._prober: threading.Thread | None = None
        self._process = os.getpid()

    def check(self) -> None:
        """Raises `refusal` while the breaker is open, except in the thread that probes."""
        if self.error is None or threading.current_thread() is self._prober:
            return
        if self._process != os.getpid():  # forked: the probing thread stayed in the parent
            self._process, self.error = os.getpid(), None
            return
        raise self.refusal(f"{self.store} is away: {self.error}")

    def open(self, error: Exception) -> None:
        with self._lock:
            if self.error is not None:
                return
            self.error, self._process = error, os.getpid()
            self._prober = threading.Thread(target=self._close_when_back, daemon=True)
        self._prober.start()

    @abstractmethod
    def probe(self) -> None:
        """Raises an exception unless the store answers."""

    def _close_when_back(self) -> None:
        while not self._is_back():
            time.sleep(PAUSE_SECONDS)
        self.error = None

    def _is_back(self) -> bool:
        try:
            self.probe()
        except Exception as error:  # only this thread can end the outage, so it must survive
            logger.debug("%s is still away: %s", self.store, error)
            return False
        return True


class RedisAway(redis.ConnectionError):
    """Redis did not answer a moment ago, so it was not asked."""


class RedisBreaker(Breaker):
    store, refusal = "Redis", RedisAway

    def __init__(self, connect: "Callable[[], Client]") -> None:
        """`connect` makes the client that pings, where none is watched."""
        super().__init__()
        self._connect = connect
        self._clients: WeakSet[Client] = WeakSet()

    def watch(self, client: "Client") -> None:
        """Redis is back when all watched clients reach it."""
        self._clients.add(client)

    def probe(self) -> None:
        with suppress(ResponseError):  # a refusal is an answer
            for client in list(self._clients) or [self._connect()]:
                _ping(client)


def _ping(client: "Client") -> None:
    if isinstance(client, redis.RedisCluster):
        # Slots may have moved meanwhile; and all nodes must answer, not just one.
        client.nodes_manager.initialize()
        client.ping(target_nodes=client.PRIMARIES)
    else:
        client.ping()
