"""Counters since Redis has known them, for programs that work out rates by themselves. They expect
that such a number starts over now and then.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from redistools import keys
from redistools.client import get_client
from redistools.scripts import Argument, Batch, Script

from ..recording.buffer import Recorded

_add_totals = Script(__file__, "add_totals")


class Times(NamedTuple):
    kind: str
    name: str
    times: int
    seconds: float


class Totals(NamedTuple):
    counts: dict[str, int]  # by series
    times: list[Times]


def add(batch: Batch, recorded: Recorded) -> None:
    """Atomic, O(fields)."""
    totals: Counter[str] = Counter()
    for (series, _), by in recorded.counts.items():
        totals[f"count {series}"] += by
    arguments: list[Argument] = [it for pair in totals.items() for it in pair]
    for (kind, name, _), timed in recorded.timed.items():
        arguments += (f"n {kind} {name}", timed.sketch.count)
        arguments += (f"ms {kind} {name}", f"{timed.sketch.total:.3f}")
    if arguments:
        batch.call(_add_totals, [keys.totals()], arguments)


def read() -> Totals:
    """One round trip."""
    client: Any = get_client()
    held: dict[str, str] = client.hgetall(keys.totals())
    counts = {
        field.removeprefix("count "): int(float(value))
        for field, value in held.items()
        if field.startswith("count ")
    }
    return Totals(counts, list(_times(held)))


def _times(held: dict[str, str]) -> Iterator[Times]:
    for field, value in held.items():
        what, _, rest = field.partition(" ")
        if what == "n":
            kind, _, name = rest.partition(" ")
            ms = float(held.get(f"ms {rest}", 0))
            yield Times(kind, name, int(float(value)), ms / 1000)
