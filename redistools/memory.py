"""Is this still the Redis that we wrote to, with all that we wrote?

A server that restarts may come back without its last moments: while an fsync is slow, it postpones
writes to its log. So may a replica that becomes the master. And somebody may flush it. What it lost
can't be seen in what it has left. But a restart or a new master has another run id, and a flush
takes away the marks that we leave in every partition.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import redis
from django.conf import settings

from . import keys
from .client import Client
from .scripts import Batch


class Memory(NamedTuple):
    """What we recognise it by."""

    servers: str
    """The run ids of all masters."""

    mark: str
    """The same in every partition; empty where one of them lacks it."""


def look(client: Client) -> Memory:
    """Two round trips, or two for each node; O(1) for each partition."""
    batch = Batch(client)
    for key in _marks():
        batch.add("GET", key)
    marks = set(batch.run())
    return Memory(_servers(client), marks.pop() or "" if len(marks) == 1 else "")


def leave_mark(client: Client, mark: str) -> None:
    """One round trip."""
    batch = Batch(client)
    for key in _marks():
        batch.add("SET", key, mark)
    batch.run()


def _marks() -> Sequence[str]:
    return [keys.memory_mark(it) for it in range(getattr(settings, "PARTITIONS", 1))]


def _servers(client: Client) -> str:
    if isinstance(client, redis.RedisCluster):
        answers: Any = client.info("server", target_nodes=redis.RedisCluster.PRIMARIES)
        infos = [answers] if "run_id" in answers else list(answers.values())
    else:
        infos = [client.info("server")]
    return " ".join(sorted(info["run_id"] for info in infos))
