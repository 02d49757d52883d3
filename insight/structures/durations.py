"""How long pages and fan-outs took over time: a sketch for each step of a plot.

`timings.py` tells names apart and knows hours; here all of a kind is one, and steps are as long as
a plot needs them. Each step is a key of its own, which ends by itself.
"""

from collections.abc import Mapping, Sequence
from math import inf

from redistools import keys
from redistools.client import get_client
from redistools.scripts import Argument, Batch, Script

from ..figures import TimingKind
from ..precisions import DAY, HOUR, MINUTE, since_monday
from ..sketch import Sketch

KINDS: tuple[TimingKind, ...] = ("page", "fan_out")
# Each is a multiple of the first.
STEPS = (5, MINUTE, 30 * MINUTE, 3 * HOUR, DAY, 7 * DAY)
# Of a range, and of the period before it.
KEPT = 150

_add_durations = Script(__file__, "add_durations")


def slot_of(second: int) -> int:
    """When the shortest step began."""
    return second - second % STEPS[0]


def add(batch: Batch, kind: TimingKind, second: int, buckets: Mapping[int, int]) -> None:
    """How many fell into each bucket of a sketch. Atomic, O(buckets)."""
    names, ends = [], list[Argument]()
    for step in STEPS:
        number = since_monday(second) // step
        names.append(keys.durations(kind, step, number))
        ends.append(second + (KEPT + 1) * step)
    counts = [it for pair in buckets.items() for it in pair]
    batch.call(_add_durations, names, [*ends, *counts])


def read(kinds: Sequence[TimingKind], step: int, since: int, until: int) -> list[list[Sketch]]:
    """A sketch for each step from `since` on and before `until`, where steps begin: of its counts
    alone, without sum and extremes. One round trip.
    """
    numbers = range(since_monday(since) // step, since_monday(until) // step)
    batch = Batch(get_client())
    for kind in kinds:
        for number in numbers:
            batch.add("HGETALL", keys.durations(kind, step, number))
    answers = iter(batch.run())
    return [[_sketch(next(answers)) for _ in numbers] for _ in kinds]


def _sketch(fields: dict[str, str]) -> Sketch:
    buckets = {int(bucket): int(count) for bucket, count in fields.items()}
    return Sketch(count=sum(buckets.values()), least=0.0, most=inf, buckets=buckets)
