"""The settings of the site that hold now, in this process.

Each process keeps them, and asks Redis at most twice a second, when somebody wants to know, whether
they have changed. So a change shows everywhere within a second, and costs pages nothing. While
Redis is away the last ones hold; a process that has none yet reads SQL.

Whoever reads a setting never fails because of it, and never waits twice: one thread asks, the
others go on with what is there. Event loops don't wait at all.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Self

from django.core.signals import setting_changed
from django.db import DatabaseError, close_old_connections

from redistools.client import fail_if_away
from redistools.outages.errors import REDIS_ERRORS

from . import store
from .site import VARIABLES, Site
from .store import Chosen

ASK_EVERY_SECONDS = 0.5
NEVER = float("-inf")
NOTHING: Mapping[str, Any] = MappingProxyType({})

logger = logging.getLogger(__name__)


class Known(NamedTuple):
    site: Site
    chosen: Mapping[str, Any] = NOTHING
    version: str | None = None  # of the copy in Redis; None if it was not read from there

    @classmethod
    def of(cls, chosen: Mapping[str, Any], version: str | None = None) -> Self:
        return cls(Site.of(chosen), chosen, version)


class Follower:
    """What a process knows of the settings, and when it asks again."""

    def __init__(
        self, *, known: Known | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._known, self._clock = known, clock
        self._due = clock() + ASK_EVERY_SECONDS if known else NEVER
        self._asking = threading.Lock()

    def site(self) -> Site:
        known = self._known
        if known is not None and self._clock() < self._due:
            return known.site
        return self._in_event_loop() if _is_event_loop() else self._up_to_date()

    def ask_again(self) -> None:
        """With the next look, since something has changed."""
        self._due = NEVER

    def hold(self, chosen: Chosen) -> None:
        """What this process has just changed."""
        self._known = Known.of(chosen.values, chosen.version)
        self._due = self._clock() + ASK_EVERY_SECONDS

    def environment_changed(self) -> None:
        if self._known is not None:
            self._known = Known.of(self._known.chosen, self._known.version)

    def _up_to_date(self) -> Site:
        """Those who ask first wait for the answer; later, only one thread does."""
        known = self._known
        if not self._asking.acquire(blocking=known is None):
            return known.site if known else Site.of(NOTHING)
        try:
            known = self._known
            if known is None or self._clock() >= self._due:
                known = self._known = _read(known)
                self._due = self._clock() + ASK_EVERY_SECONDS
            return known.site
        finally:
            self._asking.release()

    def _in_event_loop(self) -> Site:
        self._due = self._clock() + ASK_EVERY_SECONDS
        known = self._known = self._known or Known.of(NOTHING)
        threading.Thread(target=self._ask_in_thread, daemon=True).start()
        return known.site

    def _ask_in_thread(self) -> None:
        try:
            self.ask_again()
            self._up_to_date()
        finally:
            close_old_connections()


def _is_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _read(known: Known | None) -> Known:
    try:
        fail_if_away()
        newer = store.newer_than(known.version if known else None)
        return Known.of(newer.values, newer.version) if newer else known or Known.of(NOTHING)
    except REDIS_ERRORS as error:
        logger.warning("The settings of the site can't be read from Redis: %s", error)
    except DatabaseError as error:
        logger.warning("The settings of the site can't be read from SQL: %s", error)
        return known or Known.of(NOTHING)
    return known or _from_sql()


def _from_sql() -> Known:
    try:
        return Known.of(store.in_sql())
    except DatabaseError as error:
        logger.warning("The settings of the site can't be read from SQL: %s", error)
        return Known.of(NOTHING)


_follower = Follower()


def site() -> Site:
    """Mostly a look at the clock; twice a second one small round trip."""
    return _follower.site()


def ask_again() -> None:
    _follower.ask_again()


def hold(chosen: Chosen) -> None:
    _follower.hold(chosen)


def _environment_changed(setting: str, **_signal: Any) -> None:
    """In tests."""
    if setting in VARIABLES.values():
        _follower.environment_changed()


setting_changed.connect(_environment_changed)
