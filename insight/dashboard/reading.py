"""What plots are made of: the series and sketches of a range and of the period before it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from taskqueue.backend import get_backend

from ..figures import CLASSES, FIGURES, MEMORY_KINDS, TimingKind
from ..sketch import Sketch
from ..structures import durations, series
from ..structures.series import Sample
from .numbers import Value
from .ranges import Range, Window

Name = tuple[str, str]


COUNTED: tuple[Name, ...] = (
    *(("requests", it) for it in CLASSES),
    *((it, "") for it in ("posts", "replies", "boosts", "sign_ups", "deliveries", "errors")),
    *((it, "") for it in ("tasks_failed", "redis_errors", "sql_errors", "dropped")),
    *(("kept_pages", it) for it in ("hit", "miss")),
    ("stream_clients", ""),
    *(("redis_memory", it) for it in MEMORY_KINDS),
)


class Pair(NamedTuple):
    """Of each step of a range, and of the period before it."""

    now: list[Value]
    before: list[Value]


@dataclass(frozen=True)
class Readings:
    shown: Range
    window: Window
    queues: Sequence[str]
    values: dict[Name, list[Value]]
    sketches: dict[TimingKind, list[Sketch]]

    def of(self, name: str, label: str = "") -> Pair:
        return self._halved(self.values[name, label])

    def added(self, *names: Name) -> Pair:
        return self._halved(self._combined(names, sum))

    def highest(self, *names: Name) -> Pair:
        return self._halved(self._combined(names, max))

    def of_queues(self, name: str) -> list[Name]:
        return [(name, queue) for queue in self.queues]

    def percentile(self, kind: TimingKind, percent: float) -> Pair:
        found = [it.percentile(percent) if it.count else None for it in self.sketches[kind]]
        return self._halved(found)

    def overall(self, kind: TimingKind, *, before: bool = False) -> Sketch:
        """Of the whole range."""
        half = self.shown.points
        return merged(self.sketches[kind][:half] if before else self.sketches[kind][half:])

    def _combined(
        self, names: Iterable[Name], combine: Callable[[Iterable[float]], float]
    ) -> list[Value]:
        """What is unknown of one is left out; unknown if it is of all."""
        found = []
        for values in zip(*(self.values[it] for it in names), strict=True):
            known = [it for it in values if it is not None]
            found.append(combine(known) if known else None)
        return found

    def _halved(self, values: list[Value]) -> Pair:
        return Pair(values[self.shown.points :], values[: self.shown.points])


def read(shown: Range, *, now: int | None = None) -> Readings:
    """Two round trips."""
    window = shown.window_now() if now is None else shown.window(now)
    queues = get_backend("default").all_shards()
    names = [*COUNTED, *(it for queue in queues for it in _of_queue(queue))]
    found = series.read_each(names, shown.precision, window.before, window.until)
    together = window.step // shown.precision.seconds
    timed = durations.read(durations.KINDS, window.step, window.before, window.until)
    return Readings(
        shown,
        window,
        queues,
        {
            name: _in_steps(name[0], samples, together)
            for name, samples in zip(names, found, strict=True)
        },
        dict(zip(durations.KINDS, timed, strict=True)),
    )


def total(values: Iterable[Value]) -> float:
    return sum(it for it in values if it is not None)


def newest(values: Sequence[Value]) -> Value:
    return next((it for it in reversed(values) if it is not None), None)


def merged(sketches: Iterable[Sketch]) -> Sketch:
    together = Sketch(least=0.0)
    for it in sketches:
        if it.count:
            together.merge(it)
    return together


def _of_queue(queue: str) -> tuple[Name, Name]:
    return ("queue_depth", queue), ("queue_age", queue)


def _in_steps(name: str, samples: Sequence[Sample], together: int) -> list[Value]:
    """Counters add up; of a gauge, the highest value stays."""
    combine = sum if FIGURES[name].kind == "counter" else max
    found: list[Value] = []
    for at in range(0, len(samples), together):
        known = [it.value for it in samples[at : at + together] if it.value is not None]
        found.append(combine(known) if known else None)
    return found
