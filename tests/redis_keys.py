"""The keys that a test has written."""

from typing import Any

from django.conf import settings

from redistools.client import get_binary_client, get_client

# All of them, as a rule, in one round trip.
KEYS_AT_ONCE = 10_000
DAY = 24 * 3600


def keys_of_the_test(pattern: str = "*") -> list[str]:
    match = f"{settings.REDIS_KEY_PREFIX}{pattern}"
    return list(get_client().scan_iter(match=match, count=KEYS_AT_ONCE))


def let_keys_age(days: int, *, besides: tuple[str, ...] = ("queue:", "ids:")) -> None:
    """As if this many days had passed: what had less time left is gone."""
    client, prefix = get_client(), settings.REDIS_KEY_PREFIX
    for name in keys_of_the_test():
        left = int(client.ttl(name))
        if left >= 0 and not name.removeprefix(prefix).startswith(besides):
            client.expire(name, left - days * DAY)


def contents_of(names: list[str]) -> dict[str, Any]:
    """What the keys hold, whatever their types."""
    client: Any = get_client()
    binary: Any = get_binary_client()  # pages are compressed
    readers = {
        "hash": client.hgetall,
        "none": lambda _name: None,  # it ended after it was listed
        "list": lambda name: client.lrange(name, 0, -1),
        "set": client.smembers,
        "stream": client.xrange,
        "string": lambda name: binary.get(name).decode(errors="replace"),
        "zset": lambda name: client.zrange(name, 0, -1, withscores=True),
    }
    return {name: readers[client.type(name)](name) for name in names}
