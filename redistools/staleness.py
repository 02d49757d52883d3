"""May answers be a few seconds old? Then replicas of Redis may give them.

Nothing may be stale unless somebody says so, as the middleware does for pages that are only read
(`web/pages/replica_pages.py`). And even then only commands and scripts with `stale_ok` may be.
Whether something has to be loaded from SQL is decided by masters (`loaded_set.until_known`): a
replica that lags misses what is there.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_stale_ok: ContextVar[bool] = ContextVar("stale_ok", default=False)

# A replica that is further behind is not asked.
STALE_SECONDS = 5.0


def is_stale_ok() -> bool:
    return _stale_ok.get()


@contextmanager
def stale_ok() -> Iterator[None]:
    """During the block, what is marked with `stale_ok` may be answered by replicas."""
    with _set_to(True):
        yield


@contextmanager
def fresh() -> Iterator[None]:
    """During the block masters answer everything, as they do outside of `stale_ok`."""
    with _set_to(False):
        yield


@contextmanager
def _set_to(value: bool) -> Iterator[None]:
    token = _stale_ok.set(value)
    try:
        yield
    finally:
        _stale_ok.reset(token)
