"""A look at some keys of each server, chosen by it at random: what the memory of Redis is used for.

`SCAN` would walk over all of them.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import redis

from .client import Client

# In one round trip: Redis serves nobody else for as long, which is a millisecond or two.
AT_ONCE = 100


class Sampled(NamedTuple):
    name: str
    size: int  # bytes, of a large key estimated by a few of its members
    stands_for: float  # how many keys


class Used(NamedTuple):
    """Bytes, over all masters."""

    used: int
    most: int  # 0: no limit


def keys_at_random(client: Client, *, of_each: int) -> Iterator[Sampled]:
    """Of each master. O(`of_each`), whatever Redis holds."""
    for server in _masters(client):
        count: Any = server.dbsize()
        # Of few keys, some come several times: asked once each, a third of them would be missed.
        names = _random_names(server, of_each if count else 0)
        for name, size in zip(names, _sizes(server, names), strict=True):
            yield Sampled(name, size or 0, count / len(names))


def used(client: Client) -> Used:
    """One round trip to each master."""
    answers: list[Any] = [server.info("memory") for server in _masters(client)]
    limits = [int(it["maxmemory"]) for it in answers]
    return Used(sum(it["used_memory"] for it in answers), sum(limits) if all(limits) else 0)


def _masters(client: Client) -> list[redis.Redis]:
    if isinstance(client, redis.Redis):
        return [client]
    cluster: Any = client
    return [cluster.get_redis_connection(node) for node in cluster.get_primaries()]


def _random_names(server: redis.Redis, count: int) -> list[str]:
    asked = [("RANDOMKEY",)] * count
    return [name for name in _ask(server, asked) if name is not None]


def _sizes(server: redis.Redis, names: list[str]) -> list[int | None]:
    """None: a key that is gone by now."""
    return _ask(server, [("MEMORY USAGE", name) for name in names])


def _ask(server: redis.Redis, commands: Sequence[tuple[str, ...]]) -> list[Any]:
    answers: list[Any] = []
    for at in range(0, len(commands), AT_ONCE):
        pipeline = server.pipeline(transaction=False)
        for command in commands[at : at + AT_ONCE]:
            pipeline.execute_command(*command)
        answers += pipeline.execute()
    return answers
