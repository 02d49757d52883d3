"""Is this still the Redis that we wrote to, with all that we wrote?

A server that restarts may lack its last moments, and so may a replica that becomes the master.
Somebody may flush it, or load an older dump. A restart or a new master has another run id, and a
flush takes away the marks that we leave in every partition.

What a server has left is all that it was told up to some moment. The marks hold the time, and are
renewed: the newest mark left says up to when it is whole.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import redis
from django.conf import settings

from . import keys
from .client import Client
from .life import ANY, believed_life, correct
from .scripts import Batch, Script

leave_mark_script = Script(__file__, "leave_mark")


@dataclass(frozen=True)
class Memory:
    servers: str  # the run ids of all masters
    mark: str  # the same in every partition; empty where one of them lacks it
    # Nothing is missing in any partition that was written before then; 0: unknown.
    whole_until: float = field(default=0.0, compare=False)

    @property
    def has_one_log(self) -> bool:
        """With several masters, each may lose something by itself."""
        return " " not in self.servers


def look(client: Client) -> Memory:
    """Two round trips, or two for each node; O(1) for each partition."""
    batch = Batch(client)
    for key in _marks():
        batch.add("GET", key)
    found = [(answer or "").partition(" ") for answer in batch.run()]
    marks = {mark for mark, _, _ in found}
    if len(marks) > 1 or "" in marks:
        return Memory(_servers(client), "")
    return Memory(_servers(client), marks.pop(), min(float(moment or 0) for *_, moment in found))


def lives(client: Client) -> dict[str, str]:
    """The believed life of each mark's server: ask before `look`, for `leave_mark`."""
    return {key: believed_life(client, key) for key in _marks()}


def leave_mark(client: Client, mark: str, lives: dict[str, str] | None = None) -> None:
    """Says that nothing is missing that was written before now. One round trip.

    Servers that died since `lives` was asked for keep their mark: it says what they lost.
    """
    lives = dict.fromkeys(_marks(), ANY) if lives is None else lives
    batch, value = Batch(client), f"{mark} {time.time()}"
    for key, life in lives.items():
        batch.call(leave_mark_script, [key], [life, value])
    for key, life in zip(lives, batch.run(), strict=True):
        correct(client, key, life)


def _marks() -> Sequence[str]:
    return [keys.memory_mark(it) for it in range(getattr(settings, "PARTITIONS", 1))]


def _servers(client: Client) -> str:
    if isinstance(client, redis.RedisCluster):
        answers: Any = client.info("server", target_nodes=redis.RedisCluster.PRIMARIES)
        infos = [answers] if "run_id" in answers else list(answers.values())
    else:
        infos = [client.info("server")]
    return " ".join(sorted(info["run_id"] for info in infos))
