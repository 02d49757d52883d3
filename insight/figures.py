"""Every name under which something is measured. A name that is not here is an error."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

CLASSES = ("2xx", "3xx", "4xx", "5xx")
PAGE_CLASS = None  # any page of the site, and a class: `home 2xx`
QUEUE = None  # any queue

Kind = Literal["counter", "gauge"]
TimingKind = Literal["page", "task", "redis", "sql", "fan_out"]


class UnknownFigure(ValueError):  # noqa: N818 - reads better
    pass


class Figure(NamedTuple):
    """A counter is how often something happened; of a gauge, a sample is the highest value."""

    kind: Kind
    about: str
    # Of which it has one series each; empty: it is one series. None: of anything.
    labels: tuple[str, ...] | None = ()


def _counter(about: str, labels: tuple[str, ...] | None = ()) -> Figure:
    return Figure("counter", about, labels)


def _gauge(about: str, labels: tuple[str, ...] | None = ()) -> Figure:
    return Figure("gauge", about, labels)


FIGURES: Mapping[str, Figure] = {
    "requests": _counter("requests answered, by class of status", CLASSES),
    "pages": _counter("requests answered, by page and class of status", PAGE_CLASS),
    "errors": _counter("requests that failed in our code or for want of a store"),
    "sign_ups": _counter("accounts made"),
    "log_ins": _counter("log-ins"),
    "posts": _counter("posts that answer nothing"),
    "replies": _counter("posts that answer another"),
    "boosts": _counter("boosts"),
    "likes": _counter("likes"),
    "follows": _counter("follows that began"),
    "notifications": _counter("pieces of news of which members were notified"),
    "searches": _counter("searches that were answered"),
    "deliveries": _counter("followers and lists to which fan-outs went"),
    "fan_out_lag": _gauge("age of a status when a part of its fan-out was done (ms)"),
    "stream_clients": _gauge("open streams, over all processes"),
    "slow_clients": _counter("streams cut off because their client read too slowly"),
    "tasks_done": _counter("tasks done"),
    "tasks_failed": _counter("tasks given up"),
    "tasks_retried": _counter("attempts at a task after which it is tried again"),
    "queue_depth": _gauge("tasks that are due and wait, by queue", QUEUE),
    "queue_age": _gauge("how long the first of them has waited (ms), by queue", QUEUE),
    "kept_pages": _counter("pages for visitors: kept ones shown, and made", ("hit", "miss")),
    "redis_errors": _counter("calls of Redis that failed"),
    "sql_errors": _counter("statements of SQL that failed"),
    "dropped": _counter("figures that may be lost, since Redis was away"),
}

TIMINGS: Mapping[TimingKind, str] = {
    "page": "requests, by page",
    "task": "attempts at tasks, by task",
    "redis": "calls of Redis, by script or command",
    "sql": "statements of SQL, by verb and table",
    "fan_out": "age of statuses when a part of their fan-out was done",
}


def series_name(name: str, label: str = "") -> str:
    """What a series is called in keys: `requests` or `requests 2xx`. Raises UnknownFigure."""
    figure = FIGURES.get(name)
    if figure is None:
        raise UnknownFigure(
            f"{name!r} is not measured: insight/figures.py has {', '.join(FIGURES)}"
        )
    if figure.labels is not None and label not in (figure.labels or ("",)):
        wanted = f"one of {', '.join(figure.labels)}" if figure.labels else "no label"
        raise UnknownFigure(f"{name} takes {wanted}, got {label!r}")
    return f"{name} {label}" if label else name
