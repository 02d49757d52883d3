"""What was logged, for the page and the command. While Redis is away, these raise RedisError."""

import time
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from taskqueue import failed_tasks
from taskqueue.backend import get_backend

from ..precisions import HOUR
from . import store
from .kept import Kept, Said
from .message import SEVERITIES, Severity, Speaker

MOST_FREQUENT = 50


class Frequent(NamedTuple):
    message: Kept
    times: int


class Overview(NamedTuple):
    """Of one severity, perhaps of one kind of process; the totals are of all severities."""

    this_hour: list[Frequent]
    hour_before: list[Frequent]
    newest: list[Said]
    totals: dict[Severity, int]  # of this hour and the one before


class OneMessage(NamedTuple):
    message: Kept
    this_hour: int
    hour_before: int
    failed_task: str  # `<queue>:<id>`, if the message is about one that is still there


def overview(
    severity: Severity, *, speaker: Speaker | None = None, now: float | None = None
) -> Overview:
    """Three round trips."""
    now = time.time() if now is None else now
    hour = int(now) // HOUR
    wanted = [(it, past) for it in SEVERITIES for past in (hour, hour - 1)]
    counted = [_counts(it, speaker) for it in store.times(wanted)]
    by_wanted = dict(zip(wanted, counted, strict=True))
    this, before = (by_wanted[severity, it].most_common(MOST_FREQUENT) for it in (hour, hour - 1))
    messages = store.find(severity, [id_ for id_, _ in (*this, *before)])
    lines = store.newest(severity, since=now - store.KEPT_SECONDS)
    return Overview(
        _known(messages, this),
        _known(messages, before),
        [it for it in lines if speaker in (None, it.process.speaker)],
        {it: by_wanted[it, hour].total() + by_wanted[it, hour - 1].total() for it in SEVERITIES},
    )


def most_frequent(severity: Severity, *, hours: int, now: float | None = None) -> list[Frequent]:
    """Over the running hour and those before it. Two round trips."""
    this = int(time.time() if now is None else now) // HOUR
    counts: Counter[str] = Counter()
    for times in store.times((severity, this - back) for back in range(hours)):
        counts += _counts(times, None)
    ranked = counts.most_common(MOST_FREQUENT)
    return _known(store.find(severity, [id_ for id_, _ in ranked]), ranked)


def one_message(severity: Severity, id_: str, *, now: float | None = None) -> OneMessage | None:
    """Two round trips, and two for each queue if it is about a task."""
    message = store.find(severity, [id_]).get(id_)
    if message is None:
        return None
    hour = int(time.time() if now is None else now) // HOUR
    counts = store.times([(severity, hour), (severity, hour - 1)])
    this, before = (_counts(it, None)[id_] for it in counts)
    return OneMessage(message, this, before, _failed_task(message.task_id))


def _counts(times: store.Times, speaker: Speaker | None) -> Counter[str]:
    counts: Counter[str] = Counter()
    for id_, by_speaker in times.items():
        counts[id_] = by_speaker.get(speaker, 0) if speaker else sum(by_speaker.values())
    return +counts


def _known(messages: dict[str, Kept], ranked: Iterable[tuple[str, int]]) -> list[Frequent]:
    return [Frequent(messages[id_], times) for id_, times in ranked if id_ in messages]


def _failed_task(task_id: str) -> str:
    queues = get_backend("default").all_shards() if task_id else ()
    found = (name for name in queues if failed_tasks.get(name, task_id))
    return next((f"{name}:{task_id}" for name in found), "")
