"""Counters and gauges over time, in every precision at once.

Each stretch of time is a key of its own, which ends by itself: old samples cost nobody a look. The
best trim is none.
"""

from collections.abc import Sequence
from typing import NamedTuple

from redistools import keys
from redistools.client import get_client
from redistools.scripts import Argument, Batch, Script

from ..figures import FIGURES, series_name
from ..precisions import PRECISIONS, Precision

_add_sample = Script(__file__, "add_sample")


class Sample(NamedTuple):
    second: int  # since 1970: when it began
    value: int | None  # None: the gauge was not sampled


def add(batch: Batch, series: str, second: int, value: int) -> None:
    """Counts. Atomic, O(1) in what is kept."""
    _call(batch, series, second, "add", value)


def raise_to(batch: Batch, series: str, second: int, value: int) -> None:
    """The highest value of each sample stays. Atomic, O(1) in what is kept."""
    _call(batch, series, second, "raise", value)


def _call(batch: Batch, series: str, second: int, how: str, value: int) -> None:
    names, arguments = [], list[Argument]()
    for precision in PRECISIONS:
        number, place = precision.place(second)
        names.append(keys.series(series, precision.seconds, number))
        arguments += (place, precision.end_of_key(number))
    batch.call(_add_sample, names, [how, value, *arguments])


def read(
    name: str, precision: Precision, since: int, until: int, *, label: str = ""
) -> list[Sample]:
    """All samples that began from `since` on and before `until`. One round trip.

    A counter that has no sample counted nothing. Raises UnknownFigure.
    """
    return read_each([(name, label)], precision, since, until)[0]


def read_each(
    wanted: Sequence[tuple[str, str]], precision: Precision, since: int, until: int
) -> list[list[Sample]]:
    """Several series. One round trip."""
    first, last = precision.place(since)[0], precision.place(max(since, until - 1))[0]
    numbers = range(first, last + 1)
    batch = Batch(get_client())
    for name, label in wanted:
        for number in numbers:
            batch.add("HGETALL", keys.series(series_name(name, label), precision.seconds, number))
    answers = iter(batch.run())
    found = []
    for name, _ in wanted:
        held = {number: next(answers) for number in numbers}
        missing = 0 if FIGURES[name].kind == "counter" else None
        found.append(_samples(precision, since, until, held, missing))
    return found


def _samples(
    precision: Precision,
    since: int,
    until: int,
    held: dict[int, dict[str, str]],
    missing: int | None,
) -> list[Sample]:
    step = precision.seconds
    samples = []
    for second in range(-(-since // step) * step, until, step):
        number, place = precision.place(second)
        value = held[number].get(str(place))
        samples.append(Sample(second, missing if value is None else int(value)))
    return samples
