"""While Redis is known to be away, nobody waits for it.

A command that times out opens the breaker of its process; from then on every other command
fails at once with RedisAway. One thread pings Redis until it answers, and closes the breaker.
"""

import logging
import os
import threading
import time
from typing import TYPE_CHECKING
from weakref import WeakSet

import redis
from redis.exceptions import ResponseError

if TYPE_CHECKING:
    from collections.abc import Callable

    from .client import Client

# Between two pings; each waits as long as a command may take.
PAUSE_SECONDS = 0.2

logger = logging.getLogger(__name__)


class RedisAway(redis.ConnectionError):
    """Redis did not answer a moment ago, so it was not asked."""


class Breaker:
    """One for each URL of a process. Closed, it costs a command one look at an attribute."""

    def __init__(self, connect: "Callable[[], Client]") -> None:
        """`connect` makes the client that pings, where none is watched."""
        self.error: Exception | None = None
        """Why it is open; None while it is closed."""
        self._connect = connect
        self._clients: WeakSet[Client] = WeakSet()
        self._lock = threading.Lock()
        self._prober: threading.Thread | None = None
        self._process = os.getpid()

    def watch(self, client: "Client") -> None:
        """Redis is back when all watched clients reach it."""
        self._clients.add(client)

    def check(self) -> None:
        """Raises RedisAway while the breaker is open, except for the thread that probes."""
        if self.error is None or threading.current_thread() is self._prober:
            return
        if self._process != os.getpid():  # forked: the probing thread stayed in the parent
            self._process, self.error = os.getpid(), None
            return
        raise RedisAway(f"Redis is away: {self.error}")

    def open(self, error: Exception) -> None:
        with self._lock:
            if self.error is not None:
                return
            self.error, self._process = error, os.getpid()
            self._prober = threading.Thread(target=self._close_when_back, daemon=True)
        self._prober.start()

    def _close_when_back(self) -> None:
        while not self._is_back():
            time.sleep(PAUSE_SECONDS)
        self.error = None

    def _is_back(self) -> bool:
        try:
            for client in list(self._clients) or [self._connect()]:
                _ask(client)
        except ResponseError:
            return True  # a refusal is an answer
        except Exception as error:  # only this thread can end the outage, so it must survive
            logger.debug("Redis is still away: %s", error)
            return False
        return True


def _ask(client: "Client") -> None:
    if isinstance(client, redis.RedisCluster):
        # Slots may have moved meanwhile; and all nodes must answer, not just one.
        client.nodes_manager.initialize()
        client.ping(target_nodes=client.PRIMARIES)
    else:
        client.ping()
