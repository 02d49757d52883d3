"""The figures, for pages and programs. What Redis does not know counts as nothing, or as not
sampled; while it is away, these raise RedisError like all that reads it.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

from statuses.reading.shown import ShownStatus
from statuses.selectors import show
from statuses.visibility.rules import FeedRules
from tags.models import Tag
from users.models import User

from .figures import FIGURES, TimingKind
from .keeping import WEEK
from .models import Cohort, Day
from .precisions import HOUR, precision
from .sketch import Sketch
from .structures import series as series_store
from .structures import timings as timings_store
from .structures import viewed, visitors
from .structures.series import Sample
from .structures.timings import Slow

MOST_VIEWED = 30


class Comparison(NamedTuple):
    """Samples of a range, and of as long a time before it."""

    now: list[Sample]
    before: list[Sample]


@dataclass(frozen=True)
class Timing:
    """In milliseconds. Percentiles are within 2 %."""

    name: str
    count: int
    least: float
    most: float
    mean: float
    deviation: float
    p50: float
    p95: float
    p99: float


class Retention(NamedTuple):
    monday: date
    signed_up: int
    active: dict[int, int]  # by how many weeks later


def series(
    name: str, precision_name: str, since: int, until: int, *, label: str = ""
) -> list[Sample]:
    """`series("requests", "1 min", …, label="2xx")`. Seconds since 1970. One round trip.

    Raises ValueError for a name, label or precision that there is not.
    """
    return series_store.read(name, precision(precision_name), since, until, label=label)


def several(
    wanted: Sequence[tuple[str, str]], precision_name: str, since: int, until: int
) -> list[list[Sample]]:
    """For pairs of name and label. One round trip."""
    return series_store.read_each(wanted, precision(precision_name), since, until)


def with_period_before(
    name: str, precision_name: str, since: int, until: int, *, label: str = ""
) -> Comparison:
    """One round trip."""
    step = precision(precision_name).seconds
    since, until = since - since % step, -(-until // step) * step
    samples = series(name, precision_name, 2 * since - until, until, label=label)
    half = len(samples) // 2
    return Comparison(samples[half:], samples[:half])


def total(name: str, precision_name: str, since: int, until: int, *, label: str = "") -> int:
    """How often, over the samples that began in this time; of a gauge, its highest value."""
    values = [it.value or 0 for it in series(name, precision_name, since, until, label=label)]
    return sum(values) if FIGURES[name].kind == "counter" else max(values, default=0)


def timings(kind: TimingKind, *, hours: int = 1, now: int | None = None) -> list[Timing]:
    """Over the running hour and those before it; what took the most time of all comes first."""
    found = timings_store.read(kind, _hours(hours, now))
    by_weight = sorted(found.items(), key=lambda it: it[1].total, reverse=True)
    return [_timing(name, sketch) for name, sketch in by_weight]


def slowest(kind: TimingKind, *, hours: int = 1, now: int | None = None) -> list[Slow]:
    return timings_store.slowest(kind, _hours(hours, now))


def visitors_of(day: date) -> int:
    """About; with members. From SQL where Redis no longer knows."""
    row = Day.objects.filter(date=day).first()
    return max(visitors.count([day]), row.visitors if row else 0)


def visitors_of_month(day: date) -> int:
    """About, of the month up to this day. Members count once, everybody else once a day."""
    return visitors.count(day - timedelta(days=it) for it in range(day.day))


def members_of(day: date) -> int:
    row = Day.objects.filter(date=day).first()
    return max(visitors.actives([day]).count, row.members if row else 0)


def monthly_members(day: date) -> int:
    """Exactly, of the thirty days that end with this one."""
    return visitors.actives(day - timedelta(days=it) for it in range(30)).count


def days(since: date, until: date) -> list[Day]:
    """What SQL keeps of them, the oldest first."""
    return list(Day.objects.filter(date__gte=since, date__lte=until).order_by("date"))


def retention(weeks: int = 12) -> list[Retention]:
    """By week of sign-up, the newest first. Who signed up and left is among those who signed up."""
    rows = Cohort.objects.filter(signed_up__gt=0).order_by("-monday")[:weeks]
    return [Retention(row.monday, row.signed_up, _by_weeks_later(row)) for row in rows]


def most_viewed_posts(viewer: User | None, *, limit: int = MOST_VIEWED) -> list[ShownStatus]:
    """Of the hour. Only what everybody may see, and not what the viewer does not want to."""
    ranked = [int(it) for it in viewed.top(viewed.POSTS, limit=viewed.SIZE)]
    public = viewed.seen_by_everybody(ranked) if ranked else set()
    shown, _ = show([it for it in ranked if it in public], viewer=viewer, rules=FeedRules())
    return shown[:limit]


def most_viewed_tags(*, limit: int = MOST_VIEWED) -> list[Tag]:
    """Of the hour. Leaves out what nobody has ever written."""
    names = viewed.top(viewed.TAGS, limit=viewed.SIZE)
    held = {it.name: it for it in Tag.objects.filter(name__in=names).exclude(written="")}
    return [held[name] for name in names if name in held][:limit]


def _hours(count: int, now: int | None) -> range:
    this = (int(time.time()) if now is None else now) // HOUR
    return range(this - count + 1, this + 1)


def _timing(name: str, sketch: Sketch) -> Timing:
    return Timing(
        *(name, sketch.count, sketch.least, sketch.most, sketch.mean, sketch.deviation),
        *(sketch.percentile(it) for it in (50, 95, 99)),
    )


def _by_weeks_later(row: Cohort) -> dict[int, int]:
    later = {(date.fromisoformat(it) - row.monday) // WEEK: n for it, n in row.active.items()}
    return dict(sorted(later.items()))
