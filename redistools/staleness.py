"""May answers be a few seconds old? Then replicas of Redis may give them.

Nothing may be stale unless somebody says so, as the middleware does for pages that are only read
(`web/pages/replica_pages.py`), and then only commands and scripts with `stale_ok`. Masters decide
what has to be loaded from SQL (`loaded_set.until_known`): a replica misses what is there.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar

_stale_ok: ContextVar[bool] = ContextVar("stale_ok", default=False)

# A replica that is further behind is not asked.
STALE_SECONDS = 5.0


def is_stale_ok() -> bool:
    return _stale_ok.get()


@contextmanager
def stale_ok(value: bool = True) -> Iterator[None]:
    """During the block, replicas may answer what is marked with `stale_ok`."""
    token = _stale_ok.set(value)
    try:
        yield
    finally:
        _stale_ok.reset(token)


def fresh() -> AbstractContextManager[None]:
    """During the block masters answer everything, as they do outside of `stale_ok`."""
    return stale_ok(False)
