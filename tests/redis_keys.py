"""The keys that a test has written."""

from typing import Any

from django.conf import settings

from redistools.client import get_client

# All of them, as a rule, in one round trip.
KEYS_AT_ONCE = 10_000


def keys_of_the_test(pattern: str = "*") -> list[str]:
    match = f"{settings.REDIS_KEY_PREFIX}{pattern}"
    return list(get_client().scan_iter(match=match, count=KEYS_AT_ONCE))


def contents_of(names: list[str]) -> dict[str, Any]:
    """What the keys hold, whatever their types."""
    client: Any = get_client()
    readers = {
        "hash": client.hgetall,
        "list": lambda name: client.lrange(name, 0, -1),
        "set": client.smembers,
        "stream": client.xrange,
        "string": client.get,
        "zset": lambda name: client.zrange(name, 0, -1, withscores=True),
    }
    return {name: readers[client.type(name)](name) for name in names}
