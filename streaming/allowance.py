"""How many statuses a second a client gets."""

import time


class Allowance:
    """A bucket that holds one second's worth and fills evenly; a rate of 0 has no limit."""

    __slots__ = ("_left", "_rate", "_since", "withheld")

    def __init__(self, rate: int) -> None:
        self._rate = rate
        self._left = float(rate)
        self._since = time.monotonic()
        self.withheld = 0

    def take(self) -> bool:
        """False, and counted, if the status is one too many."""
        if not self._rate:
            return True
        now = time.monotonic()
        self._left = min(self._rate, self._left + (now - self._since) * self._rate)
        self._since = now
        if self._left < 1:
            self.withheld += 1
            return False
        self._left -= 1
        return True
