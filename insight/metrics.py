"""All figures in the text format of Prometheus, summed over the processes of all hosts.

The format is a line for each number; its client library would keep numbers of its own in each
process, which we have in Redis.
"""

import time
from collections.abc import Iterable, Iterator, Mapping

from taskqueue.backend import get_backend

from .figures import FIGURES, TIMINGS, Figure, TimingKind
from .precisions import HOUR
from .selectors import several
from .sketch import Sketch
from .structures import timings, totals
from .structures.totals import Times

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
PREFIX = "socialsite"
QUANTILES = (0.5, 0.95, 0.99)

Labels = Mapping[str, str]


def metric_of(name: str) -> str:
    """`socialsite_posts_total`, `socialsite_queue_age_seconds`."""
    figure = FIGURES[name]
    unit = "_seconds" if figure.in_ms else ""
    return f"{PREFIX}_{name}{unit}{'_total' if figure.kind == 'counter' else ''}"


def metric_of_times(kind: TimingKind) -> str:
    return f"{PREFIX}_{kind}_seconds"


def exposition(*, now: int | None = None) -> str:
    """A round trip for each gauge, two for each kind of time, and one."""
    moment = int(time.time()) if now is None else now
    found = totals.read()
    lines = [*_counters(found.counts), *_gauges(moment), *_timed(found.times, moment)]
    return "\n".join(lines) + "\n"


def _counters(counts: Mapping[str, int]) -> Iterator[str]:
    by_name: dict[str, list[tuple[str, int]]] = {}
    for series, value in sorted(counts.items()):
        name, _, label = series.partition(" ")
        by_name.setdefault(name, []).append((label, value))
    for name, figure in FIGURES.items():
        if figure.kind == "counter":
            yield from _head(metric_of(name), "counter", figure.about)
            nothing = [("", 0)] if figure.labels == () else []
            for label, value in by_name.get(name, nothing):
                yield _line(metric_of(name), labels_of(figure, label), value)


def labels_of(figure: Figure, label: str) -> dict[str, str]:
    """`home 2xx` is a page and a class; only the first may have blanks."""
    words = label.rsplit(" ", len(figure.labelled_by) - 1) if figure.labelled_by else []
    return dict(zip(figure.labelled_by, words, strict=False))


def _gauges(now: int) -> Iterator[str]:
    """A round trip for each."""
    for name, figure in FIGURES.items():
        if figure.kind == "gauge":
            yield from _head(metric_of(name), "gauge", figure.about)
            yield from _newest(name, figure, now)


def _newest(name: str, figure: Figure, now: int) -> Iterator[str]:
    queues = get_backend("default").all_shards()
    labels = queues if figure.labels is None else figure.labels or ("",)
    wanted = [(name, label) for label in labels]
    found = several(wanted, "5 s", now - figure.fresh_seconds, now + 1)
    for label, samples in zip(labels, found, strict=True):
        values = [it.value for it in samples if it.value is not None]
        if values:
            value = values[-1] / 1000 if figure.in_ms else values[-1]
            yield _line(metric_of(name), labels_of(figure, label), value)


def _timed(times: Iterable[Times], now: int) -> Iterator[str]:
    """How many and how long in all; quantiles of the running hour, and of the one before."""
    known = sorted(times)
    for kind, about in TIMINGS.items():
        metric, recent = metric_of_times(kind), timings.read(kind, (now // HOUR - 1, now // HOUR))
        yield from _head(metric, "summary", about)
        for _, name, count, seconds in (it for it in known if it.kind == kind):
            yield from _quantiles(metric, name, recent.get(name))
            yield _line(f"{metric}_sum", {"name": name}, seconds)
            yield _line(f"{metric}_count", {"name": name}, count)


def _quantiles(metric: str, name: str, sketch: Sketch | None) -> Iterator[str]:
    if sketch is not None:
        for quantile in QUANTILES:
            labels = {"name": name, "quantile": f"{quantile:g}"}
            yield _line(metric, labels, sketch.percentile(100 * quantile) / 1000)


def _head(metric: str, kind: str, about: str) -> Iterator[str]:
    yield f"# HELP {metric} {_escaped(about)}"
    yield f"# TYPE {metric} {kind}"


def _line(metric: str, labels: Labels, value: float) -> str:
    inside = ",".join(f'{name}="{_quoted(label)}"' for name, label in labels.items())
    return f"{metric}{{{inside}}} {value:.10g}" if inside else f"{metric} {value:.10g}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("\n", r"\n")


def _quoted(text: str) -> str:
    return _escaped(text).replace('"', r"\"")
