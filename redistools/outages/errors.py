"""What counts as an outage of a store, and how often it is logged."""

import errno
import logging
import re
import threading
import time
from collections.abc import Callable
from copy import copy

import redis
from django.db import DatabaseError, InterfaceError, OperationalError
from django_redis.exceptions import ConnectionInterrupted
from redis.exceptions import (
    ClusterError,
    RedisClusterException,
    ResponseError,
    SlotNotCoveredError,
    TryAgainError,
)

REDIS_ERRORS = (redis.RedisError, RedisClusterException, ConnectionInterrupted)
STORE_ERRORS = (*REDIS_ERRORS, DatabaseError)  # everything a store may raise, outages included
OUTAGES = (
    redis.ConnectionError,
    redis.TimeoutError,
    ClusterError,
    SlotNotCoveredError,
    OperationalError,
    InterfaceError,
)
# Redis answers, but can't do its work: its disk or memory is full, it is loading its file, a
# script blocks it, its master is gone … Older versions quote the code when a script raises it.
# A script misses a key of its own slot while the slot moves to another node of a cluster.
REFUSAL = re.compile(
    r"(?:^|: -)(?:MISCONF|OOM|READONLY|LOADING|BUSY|MASTERDOWN|NOREPLICAS|CLUSTERDOWN|TRYAGAIN) "
    r"|attempted to access a non local key"
)
# redis-py strips these codes off the message, and has a class for each.
REFUSALS = (redis.OutOfMemoryError, redis.ReadOnlyError, TryAgainError)

QUIET_SECONDS = 60.0

# Of files, such as pictures: the disk is full, or takes nothing any more.
UNWRITABLE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO})


def is_outage(error: object) -> bool:
    """Is a store away or full? Then nothing is wrong with our code, and it may pass by itself."""
    if isinstance(error, ConnectionInterrupted):
        return is_outage(error.__cause__)
    if isinstance(error, ResponseError) and not isinstance(error, OUTAGES):
        return isinstance(error, REFUSALS) or REFUSAL.search(str(error)) is not None
    if isinstance(error, OSError) and not isinstance(error, OUTAGES):
        return error.errno in UNWRITABLE
    return isinstance(error, OUTAGES)


def is_redis_outage(error: object) -> bool:
    """Is it Redis that is away or full, so that SQL may still answer?"""
    return isinstance(error, REDIS_ERRORS) and is_outage(error)


class OncePerMinute(logging.Filter):
    """Lets a line that carries an outage, as exception or argument, through once a minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._lock = threading.Lock()
        self._quiet_until: dict[tuple[str, str], float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        return _outage_in(record) is None or self._is_due((record.name, str(record.msg)))

    def _is_due(self, kind: tuple[str, str]) -> bool:
        with self._lock:
            now = self._clock()
            if now < self._quiet_until.get(kind, now):
                return False
            self._quiet_until[kind] = now + QUIET_SECONDS
            return True


class WithoutOutageTracebacks(logging.Formatter):
    """An outage needs no traceback: where in our code we noticed it does not matter."""

    def format(self, record: logging.LogRecord) -> str:
        error = record.exc_info[1] if record.exc_info else None
        if not is_outage(error):
            return super().format(record)
        line = copy(record)  # other handlers may want the traceback
        line.msg, line.args = f"{record.getMessage()} ({type(error).__name__}: {error})", ()
        line.exc_info = line.exc_text = None
        return super().format(line)


def _outage_in(record: logging.LogRecord) -> object:
    raised = record.exc_info[1] if record.exc_info else None
    arguments = record.args if isinstance(record.args, tuple) else ()
    return next((it for it in (raised, *arguments) if is_outage(it)), None)
