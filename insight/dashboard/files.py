"""Every table of the dashboard as CSV, by its name."""

from collections.abc import Callable, Mapping
from functools import partial

from django.http import HttpResponse
from django.utils.translation import gettext

from . import busiest, people
from .marks import marks_in
from .memory import meters
from .plots import DEFINITIONS, Definition, plot_of
from .ranges import Range
from .reading import read
from .tables import file, file_of, moment

Make = Callable[[Range], HttpResponse]


def _plot(definition: Definition, shown: Range) -> HttpResponse:
    return file_of(plot_of(definition, read(shown)))


def _memory(shown: Range) -> HttpResponse:
    heads = (gettext("Kind"), gettext("Bytes"), shown.before_words)
    rows = ((it.words, it.size, it.before) for it in meters(read(shown)))
    return file("memory", heads, rows)


def _marks(shown: Range) -> HttpResponse:
    heads = (gettext("Time (UTC)"), gettext("What"))
    rows = ((moment(it.second), it.words) for it in marks_in(shown.window_now()))
    return file("marks", heads, rows)


def _days(_shown: Range) -> HttpResponse:
    heads = (gettext("Day"), gettext("Members"), gettext("Visitors"), gettext("Sign-ups"))
    return file("people", heads, people.days())


def _retention(_shown: Range) -> HttpResponse:
    found = people.from_sql()
    heads = (gettext("Week of"), gettext("Signed up"), *map(str, found.weeks))
    rows = ((it.monday, it.signed_up, *(came.people for came in it.came)) for it in found.retention)
    return file("retention", heads, rows)


def _slowest(_shown: Range) -> HttpResponse:
    heads = (gettext("Kind"), gettext("Name"), gettext("Times"), "p50", "p95", "p99")
    rows = (
        (of.kind, it.name, it.count, *(f"{ms:.2f}" for ms in (it.p50, it.p95, it.p99)))
        for of in busiest.slowest()
        for it in of.timings
    )
    return file("slowest", heads, rows)


FILES: Mapping[str, Make] = {
    **{it.key: partial(_plot, it) for it in DEFINITIONS},
    "memory": _memory,
    "marks": _marks,
    "people": _days,
    "retention": _retention,
    "slowest": _slowest,
}
