"""Tells one listener how long calls of Redis took. Without one it costs a look at a variable.

A call is a batch, or a command outside of one. Pipelines and asyncio's client are not listened to.
"""

import time
from collections.abc import Callable
from typing import Any, TypeVar

import redis

from .outages.errors import REDIS_ERRORS

T = TypeVar("T")

# The name of the script or command, the seconds, and whether it failed.
Listener = Callable[[str, float, bool], object]

_listener: Listener | None = None


def listen(listener: Listener | None) -> None:
    global _listener
    _listener = listener


def listened_to(name: str, call: Callable[[], T]) -> T:
    listener = _listener
    if listener is None:
        return call()
    began = time.perf_counter()
    try:
        answer = call()
    except REDIS_ERRORS:
        listener(name, time.perf_counter() - began, True)
        raise
    listener(name, time.perf_counter() - began, False)
    return answer


class ListenedClient(redis.Redis):
    def execute_command(self, *args: Any, **options: Any) -> Any:
        plain: Any = super()  # which is not typed
        return listened_to(str(args[0]), lambda: plain.execute_command(*args, **options))
