"""What is wrong now, as sentences: the first thing on the page. They look at the last minutes,
whatever range is shown.
"""

from collections.abc import Iterator
from typing import NamedTuple

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext, ngettext

from .numbers import duration, whole
from .plots import LAG_PROMISED
from .reading import Readings, newest, total

# A task that waits for as long finds no worker with time for it (ms).
LONGEST_WAIT = 30_000
MOST_WAITING = 2_000
# Workers look at the queues every five seconds.
SILENT_STEPS = 6


class Trouble(NamedTuple):
    words: str
    link_words: str
    address: str
    keys: tuple[str, ...] = ()  # the plots and tiles that it shows in


def troubles_in(last: Readings) -> list[Trouble]:
    """`last`: the shortest range. The gravest first."""
    if not settings.INSIGHT:
        words = gettext("Nothing is measured: the setting INSIGHT is 0.")
        return [Trouble(words, "", "")]
    return [*_waiting(last), *_lagging(last), *_failing(last), *_lost(last)]


def _waiting(last: Readings) -> Iterator[Trouble]:
    depths, ages = (_of_queues(last, it) for it in ("queue_depth", "queue_age"))
    if all(it is None for it in depths[-SILENT_STEPS:]):
        words = gettext("No worker says anything: nothing is delivered, and no mail is sent.")
        yield Trouble(words, *_to("queue_depth", gettext("Look at the queue")))
        return
    waiting, age = newest(depths) or 0, newest(ages) or 0
    if age > LONGEST_WAIT or waiting > MOST_WAITING:
        values = {"count": whole(waiting), "time": duration(age)}
        words = gettext("Tasks wait: %(count)s of them, the first for %(time)s.") % values
        link = _to("queue_depth", gettext("Look at the queue"))
        yield Trouble(words, *link, ("queue_depth", "queue_age"))


def _lagging(last: Readings) -> Iterator[Trouble]:
    lag = last.overall("fan_out").percentile(99)
    if lag > LAG_PROMISED:
        words = gettext("Timelines lag behind: one post in a hundred comes after %(time)s.")
        link = _to("fan_out_lag", gettext("Look at the lag"))
        yield Trouble(words % {"time": duration(lag)}, *link, ("fan_out_lag",))


def _failing(last: Readings) -> Iterator[Trouble]:
    if failed := _count(last, "errors"):
        words = ngettext(
            "%(count)s request failed in the last five minutes.",
            "%(count)s requests failed in the last five minutes.",
            failed,
        )
        yield Trouble(words % {"count": whole(failed)}, *_to_errors(), ("errors", "requests"))
    if given_up := _count(last, "tasks_failed"):
        words = ngettext(
            "%(count)s task was given up in the last five minutes.",
            "%(count)s tasks were given up in the last five minutes.",
            given_up,
        )
        link = gettext("Look at failed tasks"), reverse("admin:taskqueue_failedtask_changelist")
        yield Trouble(words % {"count": whole(given_up)}, *link, ("errors",))
    if calls := _count(last, "redis_errors") + _count(last, "sql_errors"):
        words = ngettext(
            "%(count)s call of Redis or SQL failed in the last five minutes.",
            "%(count)s calls of Redis or SQL failed in the last five minutes.",
            calls,
        )
        yield Trouble(words % {"count": whole(calls)}, *_to_errors(), ("errors",))


def _lost(last: Readings) -> Iterator[Trouble]:
    if lost := _count(last, "dropped"):
        words = ngettext(
            "%(count)s figure may be missing: Redis was away.",
            "%(count)s figures may be missing: Redis was away.",
            lost,
        )
        yield Trouble(words % {"count": whole(lost)}, "", "")


def _of_queues(last: Readings, name: str) -> list[float | None]:
    return last.highest(*last.of_queues(name)).now


def _count(last: Readings, name: str) -> int:
    return round(total(last.of(name).now))


def _to(key: str, words: str) -> tuple[str, str]:
    return words, f"#{key}"


def _to_errors() -> tuple[str, str]:
    return _to("errors", gettext("Look at the errors"))
