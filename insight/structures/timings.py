"""How long pages, tasks and calls took, hour by hour, and the slowest of each hour."""

from collections.abc import Iterable
from typing import NamedTuple

from redistools import keys
from redistools.client import get_client
from redistools.scripts import Argument, Batch, Script

from ..figures import TimingKind
from ..precisions import DAY, HOUR
from ..sketch import Sketch, sketch_from

KEPT_SECONDS = 8 * DAY  # a week, and the same hours of the day before it
SLOWEST = 20

_add_timing = Script(__file__, "add_timing")


class Slow(NamedTuple):
    name: str
    second: int
    ms: float


def add(
    batch: Batch, kind: TimingKind, name: str, measured: Sketch, *, hour: int, slowest_at: int
) -> None:
    """Atomic, O(buckets). `slowest_at`: the second of its longest time."""
    names = [keys.timing(kind, hour, name), keys.timed(kind, hour), keys.slowest(kind, hour)]
    figures = (measured.total, measured.squares, measured.least, measured.most)
    arguments: list[Argument] = [name, (hour + 1) * HOUR + KEPT_SECONDS, SLOWEST]
    arguments += (f"{name} {slowest_at}", measured.count, *(f"{it:.6f}" for it in figures))
    for bucket, count in measured.buckets.items():
        arguments += (bucket, count)
    batch.call(_add_timing, names, arguments)


def read(kind: TimingKind, hours: Iterable[int]) -> dict[str, Sketch]:
    """By name, over all these hours. Two round trips."""
    wanted = list(hours)
    batch = Batch(get_client())
    for hour in wanted:
        batch.add("SMEMBERS", keys.timed(kind, hour))
    found = [
        (hour, name) for hour, names in zip(wanted, batch.run(), strict=True) for name in names
    ]
    batch = Batch(get_client())
    for hour, name in found:
        batch.add("HGETALL", keys.timing(kind, hour, name))
    merged: dict[str, Sketch] = {}
    for (_, name), fields in zip(found, batch.run(), strict=True):
        merged.setdefault(name, Sketch()).merge(sketch_from(fields))
    return merged


def slowest(kind: TimingKind, hours: Iterable[int], *, limit: int = SLOWEST) -> list[Slow]:
    """One round trip."""
    batch = Batch(get_client())
    for hour in hours:
        batch.add("ZRANGE", keys.slowest(kind, hour), 0, -1, "WITHSCORES")
    found = [_slow(*pair) for answer in batch.run() for pair in answer]
    return sorted(found, key=lambda it: it.ms, reverse=True)[:limit]


def _slow(member: str, ms: float) -> Slow:
    name, _, second = member.rpartition(" ")
    return Slow(name, int(second), ms)
