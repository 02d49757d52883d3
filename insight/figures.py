"""Every name under which something is measured. A name that is not here is an error."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Literal, NamedTuple

CLASSES = ("1xx", "2xx", "3xx", "4xx", "5xx")
PAGE_CLASS = None  # any page of the site, and a class: `home 2xx`
QUEUE = None  # any queue
# `recording/memory.py` says which keys are of which kind.
MEMORY_KINDS = (
    *(
        "timelines",
        "posts",
        "messages",
        "people",
        "search",
        "sessions",
        "pages",
        "queue",
        "streams",
    ),
    *("figures", "other"),
)

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
    labelled_by: tuple[str, ...] = ()  # what the words of a label say
    in_ms: bool = False
    fresh_seconds: int = 30  # a gauge that was not sampled for as long is unknown


FIGURES: Mapping[str, Figure] = {
    "requests": Figure("counter", "requests answered, by class of status", CLASSES, ("class",)),
    "pages": Figure(
        "counter", "requests answered, by page and class of status", PAGE_CLASS, ("page", "class")
    ),
    "errors": Figure("counter", "requests that failed in our code or for want of a store"),
    "sign_ups": Figure("counter", "accounts made"),
    "log_ins": Figure("counter", "log-ins"),
    "posts": Figure("counter", "posts that answer nothing"),
    "replies": Figure("counter", "posts that answer another"),
    "boosts": Figure("counter", "boosts"),
    "likes": Figure("counter", "likes"),
    "follows": Figure("counter", "follows that began"),
    "notifications": Figure("counter", "pieces of news of which members were notified"),
    "searches": Figure("counter", "searches that were answered"),
    "deliveries": Figure("counter", "followers and lists to which fan-outs went"),
    "fan_out_lag": Figure(
        "gauge", "age of a status when a part of its fan-out was done", in_ms=True
    ),
    "stream_clients": Figure("gauge", "open streams, over all processes"),
    "slow_clients": Figure("counter", "streams cut off because their client read too slowly"),
    "tasks_done": Figure("counter", "tasks done"),
    "tasks_failed": Figure("counter", "tasks given up"),
    "tasks_retried": Figure("counter", "attempts at a task after which it is tried again"),
    "queue_depth": Figure("gauge", "tasks that are due and wait, by queue", QUEUE, ("queue",)),
    "queue_age": Figure(
        "gauge", "how long the first of them has waited, by queue", QUEUE, ("queue",), in_ms=True
    ),
    "kept_pages": Figure(
        "counter", "pages for visitors: kept ones shown, and made", ("hit", "miss"), ("outcome",)
    ),
    "redis_memory": Figure(
        "gauge", "bytes of Redis, by kind of key", MEMORY_KINDS, ("kind",), fresh_seconds=900
    ),
    "redis_errors": Figure("counter", "calls of Redis that failed"),
    "sql_errors": Figure("counter", "statements of SQL that failed"),
    "dropped": Figure("counter", "figures that may be lost, since Redis was away"),
}

TIMINGS: Mapping[TimingKind, str] = {
    "page": "requests, by page",
    "task": "attempts at tasks, by task",
    "redis": "calls of Redis, by script or command",
    "sql": "statements of SQL, by verb and table",
    "fan_out": "age of statuses when a part of their fan-out was done",
}


@lru_cache(maxsize=4_000)
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
