"""Which structure should a home have? Deliveries a second of Redis' own time, and bytes an entry.

The scripts have the shape of the real one; homes are full, so that trims come as often as in life.
Redis' time is what the kernel charged it with: what else the machine does hardly matters.
"""

import time
from collections.abc import Iterable
from typing import Any, NamedTuple

from redistools.client import get_client
from redistools.scripts import Script

from .frame import Stage
from .population import chunks
from .report import Figure

HOMES = 10_000
PASSES = 40
BATCH_SIZE = 300
FIRST_STATUS = 2**52
FOLLOWERS, TEMPLATE = "structures:followers", "structures:template"

_deliver = Script(__file__, "deliver_variant")


class Structure(NamedTuple):
    name: str
    way: str
    cap: int
    slack: int

    @property
    def homes(self) -> str:
        return f"structures:{self.way}:{self.cap}:{self.slack}:"


BASELINE = Structure("sorted set, 800 deep", "sorted_set", 800, 32)
STRUCTURES = (
    BASELINE,
    Structure("sorted set within 128 (compact)", "sorted_set", 96, 32),
    Structure("list, 800 deep, newest first", "list_newest_first", 800, 32),
    Structure("list, 800 deep, newest last", "list_newest_last", 800, 32),
)


class Measured(NamedTuple):
    rate: float
    bytes_per_entry: float


def measure(stage: Stage) -> dict[str, Figure]:
    get_client().config_set("appendonly", "no")
    people = range(1, stage.size(HOMES, least=20) + 1)
    for some in chunks(people, 5_000):
        get_client().zadd(FOLLOWERS, {str(user_id): user_id for user_id in some})
    found = {structure: try_out(structure, people) for structure in STRUCTURES}
    figures: dict[str, Figure] = {}
    for structure, ours in found.items():
        theirs, name = found[BASELINE], BASELINE.name
        figures[f"deliveries: {structure.name}"] = Figure(
            ours.rate, theirs.rate, "deliveries/s of Redis' time", name
        )
        figures[f"memory: {structure.name}"] = Figure(
            ours.bytes_per_entry, theirs.bytes_per_entry, "bytes an entry", name, True
        )
    return figures


def try_out(structure: Structure, people: range) -> Measured:
    fill(structure, people)
    size: Any = get_client().memory_usage(f"{structure.homes}{people[0]}", samples=0)
    spent = redis_seconds()
    for number in range(PASSES):
        deliver(structure, FIRST_STATUS + structure.cap + number)
    rate = PASSES * len(people) / (redis_seconds() - spent)
    clear(structure, people)
    return Measured(rate, size / structure.cap)


def clear(structure: Structure, people: Iterable[int]) -> None:
    """And wait for Redis' background thread, whose time would be charged to the next."""
    for some in chunks(people, 1_000):
        get_client().delete(*(f"{structure.homes}{user_id}" for user_id in some))
    while get_client().info("memory")["lazyfree_pending_objects"]:
        time.sleep(0.01)


def fill(structure: Structure, people: Iterable[int]) -> None:
    client: Any = get_client()
    ids = range(FIRST_STATUS, FIRST_STATUS + structure.cap)
    client.delete(TEMPLATE)
    if structure.way == "sorted_set":
        client.zadd(TEMPLATE, {str(status_id): status_id for status_id in ids})
    elif structure.way == "list_newest_first":
        client.lpush(TEMPLATE, *ids)
    else:
        client.rpush(TEMPLATE, *ids)
    for some in chunks(people, 1_000):
        pipeline = client.pipeline(transaction=False)
        for user_id in some:
            pipeline.execute_command("COPY", TEMPLATE, f"{structure.homes}{user_id}")
        pipeline.execute()


def deliver(structure: Structure, status_id: int) -> None:
    cursor: Any = 0
    while cursor is not None:
        arguments = [structure.homes, status_id, structure.way, cursor, BATCH_SIZE]
        caps = [structure.cap, structure.slack]
        cursor = _deliver(get_client(), [FOLLOWERS], [*arguments, *caps])


def redis_seconds() -> float:
    spent = get_client().info("cpu")
    return float(spent["used_cpu_user"] + spent["used_cpu_sys"])
