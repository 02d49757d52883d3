"""What one process knows of a document: the module `document` says how it follows it."""

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from django.db import DatabaseError, connections

from ..client import fail_if_away
from ..outages.errors import REDIS_ERRORS
from ..writing_until_stable import NeverStable
from .document import Copy, SharedDocument

T = TypeVar("T")

ASK_EVERY_SECONDS = 0.5
NEVER = float("-inf")

logger = logging.getLogger(__name__)


class Observer(Generic[T]):
    """What one process knows of a document, and when it asks again."""

    def __init__(
        self, document: SharedDocument[T], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._document, self._clock = document, clock
        self._known: tuple[Copy, T] | None = None
        self._due = NEVER
        self._asking = threading.Lock()

    def now(self) -> T:
        """Mostly a look at the clock; twice a second one small round trip."""
        known = self._known
        if known is not None and self._clock() < self._due:
            return known[1]
        return self._in_event_loop() if _is_event_loop() else self._up_to_date()

    def ask_again(self) -> None:
        """With the next look, since something has changed."""
        self._due = NEVER

    def hold(self, copy: Copy) -> T:
        """What this process knows from now on: it has read or written it."""
        self._known = copy, self._document.read(copy.content)
        self._due = self._clock() + ASK_EVERY_SECONDS
        return self._known[1]

    def hold_nothing(self) -> T:
        return self.hold(Copy(self._document.empty, None))

    def read_again(self) -> None:
        """What is known means something else now."""
        if self._known is not None:
            self._known = self._known[0], self._document.read(self._known[0].content)

    def _up_to_date(self) -> T:
        """Those who ask first wait for the answer; later, only one thread does."""
        if self._asking.acquire(blocking=self._known is None):
            try:
                if self._known is None or self._clock() >= self._due:
                    self._ask()
            finally:
                self._asking.release()
        return self._known[1] if self._known else self.hold_nothing()

    def _in_event_loop(self) -> T:
        held = self._known[1] if self._known else self.hold_nothing()
        self._due = self._clock() + ASK_EVERY_SECONDS
        threading.Thread(target=self._ask_in_thread, daemon=True).start()
        return held

    def _ask_in_thread(self) -> None:
        if self._asking.acquire(blocking=False):
            try:
                self._ask()
            finally:
                self._asking.release()
                connections.close_all()  # those of this thread, which ends

    def _ask(self) -> None:
        known = self._known[0] if self._known else None
        if newer := self._newer(known):
            self.hold(newer)
        elif known is None:
            self.hold_nothing()
        self._due = self._clock() + ASK_EVERY_SECONDS

    def _newer(self, known: Copy | None) -> Copy | None:
        try:
            fail_if_away()
            return self._document.newer_than(known.version if known else None)
        except (*REDIS_ERRORS, NeverStable) as error:
            self._warn("Redis", error)
        except DatabaseError as error:
            self._warn("SQL", error)
            return None
        return None if known else self._from_sql()

    def _from_sql(self) -> Copy | None:
        try:
            return Copy(self._document.in_sql(), None)
        except DatabaseError as error:
            self._warn("SQL", error)
            return None

    def _warn(self, store: str, error: Exception) -> None:
        logger.warning("The %s can't be read from %s: %s", self._document.name, store, error)


def _is_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
