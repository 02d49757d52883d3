"""Which structure should a home have? Deliveries a second of Redis' own time, and bytes an entry.

The scripts have the shape of the real one, which comes last. Homes are full to different degrees,
so that trims come as often as in real life. Redis' time is what the kernel charged it: other work
on the machine hardly matters.
"""

import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

from bench.frame import Stage
from bench.population import copy_keys, make_author, make_users
from bench.report import Figure
from redistools import keys
from redistools.chunks import chunks
from redistools.client import get_client
from redistools.scripts import Script
from timelines import fan_out, store
from users.models import User

HOMES = 10_000
PASSES = 40
BATCH_SIZE = 300
# Lengths between the cap and the next trim.
LENGTHS = 8
FIRST_STATUS = 2**52

_deliver = Script(__file__, "deliver_variant")


class Structure(NamedTuple):
    name: str
    way: str
    cap: int
    slack: int


BASELINE = Structure("sorted set, 800 deep", "sorted_set", 800, 32)
STRUCTURES = (
    BASELINE,
    Structure("sorted set within 128 (compact)", "sorted_set", 96, 32),
    Structure("list, 800 deep, newest first", "list_newest_first", 800, 32),
    Structure("list, 800 deep, newest last", "list_newest_last", 800, 32),
)
OURS = Structure("as adopted, real script", "list_newest_first", store.TIMELINE_SIZE, fan_out.SLACK)


class Measured(NamedTuple):
    rate: float
    bytes_per_entry: float


def measure(stage: Stage) -> dict[str, Figure]:
    get_client().config_set("appendonly", "no")
    people = make_users(stage.size(HOMES, least=20))
    author = make_author(people)
    fan_out.deliver(fan_out.all_legs(author), FIRST_STATUS, budget=10**9)  # loads what it needs
    found = {
        structure: try_out(structure, people, partial(deliver, structure, author))
        for structure in STRUCTURES
    }
    found[OURS] = try_out(OURS, people, partial(deliver_really, author))
    return figures(found)


def figures(found: dict[Structure, Measured]) -> dict[str, Figure]:
    described: dict[str, Figure] = {}
    for structure, ours in found.items():
        theirs, name = found[BASELINE], BASELINE.name
        described[f"deliveries: {structure.name}"] = Figure(
            ours.rate, theirs.rate, "deliveries/s of Redis' time", name
        )
        described[f"memory: {structure.name}"] = Figure(
            ours.bytes_per_entry, theirs.bytes_per_entry, "bytes an entry", name, True
        )
    return described


def try_out(structure: Structure, people: range, work: Callable[[int], object]) -> Measured:
    fill(structure, people)
    size: Any = get_client().memory_usage(keys.home(people[0]), samples=0)
    spent = redis_seconds()
    for number in range(PASSES):
        work(FIRST_STATUS + 2 * structure.cap + number)
    rate = PASSES * len(people) / (redis_seconds() - spent)
    clear(people)
    return Measured(rate, size / structure.cap)


def fill(structure: Structure, people: Iterable[int]) -> None:
    """The first home is exactly full."""

    def template(user_id: int, number: int) -> str:
        return f"structures:{{{keys.tag(keys.partition(user_id))}}}:{number}"

    pairs = [(template(id_, n % LENGTHS), keys.home(id_)) for n, id_ in enumerate(people)]
    for number, key in {(int(key.rpartition(":")[2]), key) for key, _ in pairs}:
        length = structure.cap + structure.slack * number // LENGTHS
        get_client().delete(key)
        _write(structure.way, key, range(FIRST_STATUS, FIRST_STATUS + length))
    copy_keys(pairs)


def _write(way: str, key: str, ids: range) -> None:
    client: Any = get_client()
    if way == "sorted_set":
        client.zadd(key, {str(status_id): status_id for status_id in ids})
    elif way == "list_newest_first":
        client.lpush(key, *ids)
    else:
        client.rpush(key, *ids)


def deliver(structure: Structure, author: User, status_id: int) -> None:
    for leg in fan_out.all_legs(author):
        cursor: Any = 0
        while cursor is not None:
            arguments = [leg.timelines, status_id, structure.way, cursor, BATCH_SIZE]
            caps = [structure.cap, structure.slack]
            cursor = _deliver(get_client(), [leg.audience_key], [*arguments, *caps])


def deliver_really(author: User, status_id: int) -> None:
    fan_out.deliver(fan_out.all_legs(author), status_id, budget=10**9)


def clear(people: Iterable[int]) -> None:
    """And wait for Redis' background thread: its time would be charged to the next one."""
    for some in chunks(people, 1_000):
        get_client().delete(*map(keys.home, some))
    while get_client().info("memory")["lazyfree_pending_objects"]:
        time.sleep(0.01)


def redis_seconds() -> float:
    spent = get_client().info("cpu")
    return float(spent["used_cpu_user"] + spent["used_cpu_sys"])
