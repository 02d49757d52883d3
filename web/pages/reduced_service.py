"""Reduced service: while Redis is away, some pages are read from SQL instead.

A view takes what it reads with as an argument, and
`@from_sql_while_redis_is_away(show=from_sql.show)` says what to take instead. Such a page says that
something is missing, has no buttons, and is kept by nobody. The first page that meets an outage
pays for one timeout; then the breaker is open.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import BoundedSemaphore
from typing import Any, Concatenate, ParamSpec, TypeVar

from django.http import HttpRequest, HttpResponse

from redistools.client import fail_if_away
from redistools.outages.breaker import RedisAway
from redistools.outages.errors import REDIS_ERRORS, is_redis_outage

P = ParamSpec("P")
Request = TypeVar("Request", bound=HttpRequest)
View = Callable[Concatenate[Request, P], HttpResponse]

HEADER = "X-Degraded"
# More than any process has threads.
ANY_NUMBER = 1_000

logger = logging.getLogger(__name__)


def from_sql_while_redis_is_away(
    *, at_once: int = ANY_NUMBER, **instead: Any
) -> Callable[[View[Request, P]], View[Request, P]]:
    """Calls the view with these arguments if Redis fails it.

    `at_once`: how many such pages a process makes at a time; the others are answered 503.
    """
    seats = BoundedSemaphore(at_once)

    def decorator(view: View[Request, P]) -> View[Request, P]:
        @wraps(view)
        def wrapper(request: Request, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            try:
                fail_if_away()
                return view(request, *args, **kwargs)
            except REDIS_ERRORS as error:
                if not is_redis_outage(error):
                    raise
                logger.warning("Some pages are read from SQL: %s", error)
            from_sql: Callable[..., HttpResponse] = view
            request.is_reduced = True  # type: ignore[attr-defined] # read below
            with _seat(seats):
                return _marked(from_sql(request, *args, **kwargs, **instead))

        return wrapper

    return decorator


def is_reduced(request: HttpRequest) -> bool:
    return getattr(request, "is_reduced", False)


@contextmanager
def _seat(seats: BoundedSemaphore) -> Iterator[None]:
    if not seats.acquire(blocking=False):
        raise RedisAway("Redis is away, and SQL has enough to do")
    try:
        yield
    finally:
        seats.release()


def _marked(response: HttpResponse) -> HttpResponse:
    response.headers[HEADER] = "redis"
    response.headers["Cache-Control"] = "no-store"
    return response
