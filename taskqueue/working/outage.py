import logging
import threading
import time


class Outage:
    """Says once that Redis went away, and once that it is back, whichever thread notices."""

    def __init__(self, logger: logging.Logger) -> None:
        self._logger = logger
        self._lock = threading.Lock()
        self._since: float | None = None

    def begins(self, error: Exception) -> None:
        with self._lock:
            if self._since is None:
                self._since = time.monotonic()
                self._logger.error("Redis can't be used (%s); waiting for it", error)

    def ends(self) -> None:
        if self._since is None:
            return
        with self._lock:
            if self._since is not None:
                self._logger.info("Redis is back after %.1f s", time.monotonic() - self._since)
                self._since = None
