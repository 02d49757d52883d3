"""Blocking work, in one of a few threads beside the event loop."""

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from django.db import close_old_connections

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    return await asyncio.to_thread(_with_fresh_connections(work), *args, **kwargs)


def _with_fresh_connections(work: Callable[P, T]) -> Callable[P, T]:
    """Like Django around each request: a broken connection is not used again."""

    def fresh(*args: P.args, **kwargs: P.kwargs) -> T:
        close_old_connections()
        try:
            return work(*args, **kwargs)
        finally:
            close_old_connections()

    return fresh
