"""What does it cost to know where members are?

Looking up an address beside a bare ZREVRANGEBYSCORE in the book's sorted set, which has a member
for each range and still leaves the number of the place to be read out of it;
what the ranges take in Redis, and the last known place of each member.
"""

import random
from collections.abc import Callable
from ipaddress import IPv4Address
from typing import Any

from django.conf import settings

from bench.frame import Stage, interleaved, median
from bench.report import Figure, Target
from insight.places import members, store
from insight.places.ranges import Run, blocks, position
from redistools import keys
from redistools.chunks import chunks
from redistools.client import get_client
from redistools.scripts import Batch

RANGES, PLACES, MEMBERS = 500_000, 60_000, 1_000_000
LOOKUPS, TOGETHER = 300, 100
BOOK = "ip2cityid:"
AT_ONCE = 2_000


def measure(stage: Stage) -> dict[str, Figure]:
    return ranges(stage) | people(stage)


# Ranges -------------------------------------------------------------------------------------------


def ranges(stage: Stage) -> dict[str, Figure]:
    chance = random.Random(1)
    firsts = sorted(chance.sample(range(1 << 32), stage.size(RANGES, least=200)))
    places = [1 + chance.randrange(PLACES) for _ in firsts]
    load(firsts, places)
    addresses = [IPv4Address(chance.randrange(firsts[0], 1 << 32)) for _ in range(TOGETHER)]
    assert found(addresses) == found_by_the_book(addresses)
    return looking_up(stage, addresses) | held(len(firsts))


def load(firsts: list[int], places: list[int]) -> None:
    runs = (Run(position(IPv4Address(it)), place) for it, place in zip(firsts, places, strict=True))
    store.send(keys.place_ranges("4"), blocks(runs))
    for some in chunks(zip(firsts, places, strict=True), AT_ONCE):
        batch = Batch(get_client())
        pairs = [(first, f"{place}_{first}") for first, place in some]
        batch.add("ZADD", BOOK, *(it for pair in pairs for it in pair))
        batch.run()


def found(addresses: list[IPv4Address]) -> list[int]:
    batch = Batch(get_client())
    store.find(batch, 4, addresses)
    (numbers,) = batch.run()
    return list(numbers)


def found_by_the_book(addresses: list[IPv4Address]) -> list[int]:
    return [int(it[0].partition("_")[0]) for it in raw(addresses)]


def raw(addresses: list[IPv4Address]) -> list[Any]:
    batch = Batch(get_client())
    for it in addresses:
        batch.add("ZREVRANGEBYSCORE", BOOK, int(it), 0, "LIMIT", 0, 1)
    return batch.run()


def looking_up(stage: Stage, addresses: list[IPv4Address]) -> dict[str, Figure]:
    rounds = stage.size(LOOKUPS, least=3)
    taken = interleaved(
        {
            "ours": each(found, addresses),
            "raw": each(raw, addresses),
            "ours together": lambda: found(addresses),
            "raw together": lambda: raw(addresses),
        },
        rounds=rounds,
    )

    def rate(name: str) -> float:
        return TOGETHER / median(taken[name])

    bare = "ZREVRANGEBYSCORE … LIMIT 0 1 in the book's set"
    return {
        "lookups of a place": Figure(
            *(rate("ours"), rate("raw"), "lookups/s", bare), target=Target("at least", 0.5)
        ),
        f"lookups, {TOGETHER} in a round trip": Figure(
            *(rate("ours together"), rate("raw together"), "lookups/s", f"{bare}, as many"),
            target=Target("at least", 0.5),
        ),
    }


def each(look_up: Callable[[list[IPv4Address]], object], addresses: list[IPv4Address]) -> Any:
    def one_by_one() -> None:
        for it in addresses:
            look_up([it])

    return one_by_one


def held(count: int) -> dict[str, Figure]:
    return {
        "a range in Redis": Figure(
            size(keys.place_ranges("4")) / count,
            size(BOOK) / count,
            *("bytes", "the book's set, with a member for each"),
            smaller_is_better=True,
        )
    }


def size(name: str) -> int:
    client: Any = get_client()
    return int(client.memory_usage(name, samples=0))


# Members ------------------------------------------------------------------------------------------


def people(stage: Stage) -> dict[str, Figure]:
    count = stage.size(MEMBERS, least=2)
    for some in chunks(range(1, count + 1), AT_ONCE):
        batch = Batch(get_client())
        for user_id in some:
            members.note(batch, user_id, 1 + user_id % PLACES)
        batch.run()
    last = count // settings.PARTITIONS // members.MEMBERS_OF_A_CHUNK
    names = [
        keys.places(partition, chunk)
        for partition in range(settings.PARTITIONS)
        for chunk in range(last + 1)
    ]
    return {
        "the last place of a member": Figure(
            sum(map(size, names)) / count,
            2.0,
            *("bytes", "two packed bytes"),
            smaller_is_better=True,
            target=Target("at most", 2.1, of="ours") if stage.scale >= 1 else None,
        )
    }
