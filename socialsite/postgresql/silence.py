"""A PostgreSQL that says nothing.

A server that is frozen, or cut off, keeps its connections and says nothing. libpq would wait for
ever, so we bound each wait (`socialsite/patience.py`).

A wait that was in vain begins a *silence*: from then on requests fail at once, as with Redis
(`redistools/breaker.py`). One thread tries to connect until somebody answers. If it was just one
slow query, that takes milliseconds.
"""

import logging
import threading
import time
from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen

from ..patience import Patience

T = TypeVar("T")

PROBE_SECONDS = 2
PAUSE_SECONDS = 0.2

logger = logging.getLogger(__name__)


class Silence:
    """One for each process."""

    def __init__(self) -> None:
        self.error: Exception | None = None
        """Why nobody asks; None while PostgreSQL answers."""
        self._lock = threading.Lock()
        self._prober: threading.Thread | None = None

    def check(self) -> None:
        """Raises OperationalError during a silence, except for the thread that probes."""
        if self.error is not None and threading.current_thread() is not self._prober:
            raise psycopg.OperationalError(f"PostgreSQL is away: {self.error}")

    def begin(self, error: Exception, parameters: dict[str, Any]) -> None:
        """`parameters` are those of the connection. Does nothing where waits are not bounded."""
        with self._lock:
            if Patience.seconds is None or self.error is not None:
                return
            self.error = error
            probe = (parameters | {"connect_timeout": PROBE_SECONDS},)
            self._prober = threading.Thread(target=self._end_when_back, args=probe, daemon=True)
        self._prober.start()

    def _end_when_back(self, parameters: dict[str, Any]) -> None:
        while not _answers(parameters):
            time.sleep(PAUSE_SECONDS)
        self.error = None


silence = Silence()


class PatientConnection(psycopg.Connection[Any]):
    def wait(self, gen: PQGen[T], interval: float = 0.1, timeout: float | None = None) -> T:
        """psycopg calls it around everything that it sends; raises OperationalError."""
        silence.check()
        patience = Patience.seconds if timeout is None else timeout
        began = time.monotonic()
        try:
            return super().wait(gen, interval, patience)
        except psycopg.OperationalError as error:
            if timeout is None and patience and time.monotonic() - began >= patience:
                self._give_up(error)
            raise

    def _give_up(self, error: Exception) -> None:
        """What the server still sends belongs to nobody."""
        parameters = self.info.get_parameters() | {"password": self.info.password}
        self.close()
        silence.begin(error, parameters)


def _answers(parameters: dict[str, Any]) -> bool:
    try:
        PatientConnection.connect(**parameters).close()
    except Exception as error:  # only this thread can end the silence, so it must survive
        logger.debug("PostgreSQL is still away: %s", error)
        return False
    return True
