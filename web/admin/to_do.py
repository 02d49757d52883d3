"""What the first page of the admin asks people to do. Each app says what waits, cheaply."""

from collections.abc import Callable

from django.http import HttpRequest
from redis.exceptions import RedisError

from .leads import Link

# How many are counted: beyond that, there is enough to do.
COUNTED = 100
# Nothing, if nothing waits or the reader may not do it.
Waiting = Callable[[HttpRequest], Link | None]

_known: list[Waiting] = []


def counted(count: int) -> str:
    return f"{count}+" if count >= COUNTED else str(count)


def to_do(waiting: Waiting) -> Waiting:
    """A decorator. The gravest come first: in the order of the apps."""
    _known.append(waiting)
    return waiting


def all_for(request: HttpRequest) -> list[Link]:
    return [link for link in (_without_redis(it, request) for it in _known) if link]


def _without_redis(waiting: Waiting, request: HttpRequest) -> Link | None:
    """While Redis is away, what it knows is left out."""
    try:
        return waiting(request)
    except RedisError:
        return None
