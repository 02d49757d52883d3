"""May answers be a few seconds old? Then replicas of Redis may give them.

Nothing may be late unless somebody says so, as the middleware does for pages that are only read
(`web/pages/late_pages.py`). And even then only commands that are marked with `late` (`Batch.add`)
and scripts that `may_be_late` may be. Whether something has to be loaded from SQL is decided on
time (`loaded_set.until_known`): a replica that lags misses what is there.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_late: ContextVar[bool] = ContextVar("late", default=False)

# A replica that is further behind is not asked.
LATEST_SECONDS = 5.0


def may_be_late() -> bool:
    return _late.get()


@contextmanager
def late() -> Iterator[None]:
    """During the block, what is marked with `late` may be answered by replicas."""
    with _set_to(True):
        yield


@contextmanager
def on_time() -> Iterator[None]:
    """During the block masters answer everything, as they do outside of `late`."""
    with _set_to(False):
        yield


@contextmanager
def _set_to(value: bool) -> Iterator[None]:
    token = _late.set(value)
    try:
        yield
    finally:
        _late.reset(token)
