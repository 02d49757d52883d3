"""The plots: what each shows, in the order of the page."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ..figures import CLASSES, TimingKind
from .numbers import Unit, Value, shown
from .ranges import Window
from .reading import Pair, Readings, total

Words = str | Promise

# From a post to the last timeline, for 99 of 100 (ms).
LAG_PROMISED = 2_000


class Line(NamedTuple):
    words: Words
    values: Pair


Lines = Callable[[Readings], Sequence[Line]]


def nothing(_readings: Readings) -> Sequence[Line]:
    return ()


@dataclass(frozen=True)
class Definition:
    key: str
    title: Words
    about: Words
    unit: Unit
    lines: Lines
    is_sum: bool = False  # each step is a count, and a range has a sum
    is_wide: bool = False
    limit: float | None = None  # what it should stay below
    limit_words: Words = ""
    only_in_table: Lines = nothing


@dataclass(frozen=True)
class Plot:
    """Of a range."""

    of: Definition
    lines: Sequence[Line]
    only_in_table: Sequence[Line]
    window: Window
    shows: str  # which part of a time: see `Range.shows`
    before_words: Words

    @property
    def columns(self) -> list[Line]:
        return [*self.lines, *self.only_in_table]

    @property
    def summary(self) -> str:
        """The sum of all lines, or the highest value, and the same of the period before."""
        sides = zip(*(it.values for it in self.lines), strict=True)
        now, before = (self._overall(chain.from_iterable(side)) for side in sides)
        values = {"now": shown(now, self.of.unit), "before": shown(before, self.of.unit)}
        if self.of.is_sum:
            return gettext("%(now)s in all, %(before)s before") % values
        return gettext("%(now)s at most, %(before)s before") % values

    def _overall(self, values: Iterable[Value]) -> Value:
        known = [it for it in values if it is not None]
        return total(known) if self.of.is_sum else max(known, default=None)


def plots_of(readings: Readings) -> list[Plot]:
    return [plot_of(it, readings) for it in DEFINITIONS]


def plot_of(definition: Definition, readings: Readings) -> Plot:
    return Plot(
        *(definition, definition.lines(readings), definition.only_in_table(readings)),
        *(readings.window, readings.shown.shows, readings.shown.before_words),
    )


def _percentiles(kind: TimingKind, *percents: int) -> Lines:
    return lambda it: [Line(f"p{percent}", it.percentile(kind, percent)) for percent in percents]


def _kept(readings: Readings) -> Sequence[Line]:
    hits, misses = readings.of("kept_pages", "hit"), readings.of("kept_pages", "miss")
    return [Line(_("Kept"), Pair(*map(_percents, hits, misses)))]


def _percents(hits: list[Value], misses: list[Value]) -> list[Value]:
    pairs = [(hit or 0, miss or 0) for hit, miss in zip(hits, misses, strict=True)]
    return [100 * hit / (hit + miss) if hit + miss else None for hit, miss in pairs]


REQUESTS = tuple(("requests", it) for it in CLASSES)

DEFINITIONS = (
    Definition(
        *("posts", _("Posts"), _("with replies; boosts are in the table"), "count"),
        lambda it: [Line(_("Posts"), it.added(("posts", ""), ("replies", "")))],
        is_sum=True,
        is_wide=True,
        only_in_table=lambda it: [
            Line(_("Of these, replies"), it.of("replies")),
            Line(_("Boosts"), it.of("boosts")),
        ],
    ),
    Definition(
        *("requests", _("Requests"), _("that were answered"), "count"),
        lambda it: [Line(_("Requests"), it.added(*REQUESTS))],
        is_sum=True,
    ),
    Definition(
        *("response_times", _("Response times"), _("of all pages"), "ms"),
        _percentiles("page", 50, 95, 99),
    ),
    Definition(
        *("errors", _("Errors"), _("what failed"), "count"),
        lambda it: [
            Line(_("requests"), it.of("errors")),
            Line(_("tasks"), it.of("tasks_failed")),
            Line("Redis", it.of("redis_errors")),
            Line("SQL", it.of("sql_errors")),
        ],
        is_sum=True,
    ),
    Definition(
        *("sign_ups", _("Sign-ups"), _("new accounts"), "count"),
        lambda it: [Line(_("Sign-ups"), it.of("sign_ups"))],
        is_sum=True,
    ),
    Definition(
        *("deliveries", _("Deliveries"), _("to home timelines and lists"), "count"),
        lambda it: [Line(_("Deliveries"), it.of("deliveries"))],
        is_sum=True,
    ),
    Definition(
        *("fan_out_lag", _("Fan-out lag"), _("from posting to timelines"), "ms"),
        _percentiles("fan_out", 50, 99),
        limit=LAG_PROMISED,
        limit_words=_("promise: 2 s"),
    ),
    Definition(
        *("queue_depth", _("Queue depth"), _("tasks that are due and wait"), "count"),
        lambda it: [Line(_("Tasks"), it.added(*it.of_queues("queue_depth")))],
    ),
    Definition(
        *("queue_age", _("Queue age"), _("how long the first task has waited"), "ms"),
        lambda it: [Line(_("Age"), it.highest(*it.of_queues("queue_age")))],
    ),
    Definition(
        *("streams", _("Stream clients"), _("open streams, over all processes"), "count"),
        lambda it: [Line(_("Streams"), it.of("stream_clients"))],
    ),
    Definition(
        *("kept_pages", _("Kept pages"), _("for visitors: shown without making them"), "percent"),
        _kept,
        only_in_table=lambda it: [
            Line(_("Shown as kept"), it.of("kept_pages", "hit")),
            Line(_("Made"), it.of("kept_pages", "miss")),
        ],
    ),
)
