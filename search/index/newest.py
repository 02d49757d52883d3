"""The one way to ask the index: the window in Redis first, and SQL for what it does not say."""

from .engine import engine
from .wanted import Bounds, Wanted
from .window import reading as window


def newest(wanted: Wanted, bounds: Bounds, limit: int) -> list[int]:
    """Ids of posts that may fit, newest first."""
    ids, below = window.newest(wanted, bounds, limit)
    if len(ids) == limit or below <= bounds.above + 1:
        return ids
    return ids + engine().newest(wanted, bounds._replace(below=below), limit - len(ids))
