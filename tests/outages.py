"""Stores that are away for the test process."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import redis
from django.conf import settings

from redistools.client import breaker_of, get_client, is_away
from tests.redis_servers import frozen
from tests.running_site import wait_for


@contextmanager
def redis_away(*, is_known: bool = True) -> Iterator[None]:
    """Redis hangs. Mostly somebody has noticed: that takes a second."""
    server: Any = get_client().info("server")
    with frozen(server["process_id"]):
        if is_known:
            breaker_of(settings.REDIS_URL).open(redis.TimeoutError("noticed before"))
        yield
    wait_for(lambda: not is_away(), what="Redis to be back")
