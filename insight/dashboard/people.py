"""How many people are here: by day, and how many of each week's sign-ups came back."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

from .. import selectors
from ..keeping import WEEK, monday_of
from ..selectors import Retention
from ..structures import visitors
from .drawing import rounded_up
from .numbers import short

DAYS = 30
WEEKS = 12


class Active(NamedTuple):
    """Members who were here."""

    today: int
    week: int
    month: int


class DayRow(NamedTuple):
    day: date
    members: int
    visitors: int
    sign_ups: int


class Came(NamedTuple):
    people: int | None  # None: the week is not there yet, or nobody looked
    percent: int


class Bar(NamedTuple):
    x: str
    y: str
    width: str
    height: str


class CohortRow(NamedTuple):
    monday: date
    signed_up: int
    came: list[Came]


@dataclass(frozen=True)
class People:
    active: Active | None  # None: Redis is away
    days: list[DayRow]  # the newest first
    retention: list[CohortRow]
    weeks: range

    @property
    def first(self) -> date:
        return self.last - timedelta(days=DAYS - 1)

    @property
    def last(self) -> date:
        return visitors.today()

    @property
    def bars(self) -> list[Bar]:
        """Members of each day; where nothing was counted, none."""
        width, top = 100 / DAYS, self._top
        return [
            Bar(
                f"{width * (it.day - self.first).days + width / 8:.2f}%",
                f"{100 - 100 * it.members / top:.1f}%",
                f"{width * 3 / 4:.2f}%",
                f"{100 * it.members / top:.1f}%",
            )
            for it in self.days
        ]

    @property
    def y_labels(self) -> list[str]:
        return [short(self._top * it / 2, "count") for it in (2, 1, 0)]

    @property
    def _top(self) -> float:
        return rounded_up(max((it.members for it in self.days), default=0), whole=True)


def active_now() -> Active:
    """Three round trips, O(accounts / 8) bytes for each day."""
    today = visitors.today()
    spans = (1, 7, 30)
    return Active(*(_members(today, it) for it in spans))


def people() -> People:
    """Three round trips and three queries."""
    return from_sql(active_now())


def from_sql(active: Active | None = None) -> People:
    return People(active, days(), retention(), range(1, WEEKS + 1))


def days() -> list[DayRow]:
    """What SQL keeps, the newest first. Today's is up to ten minutes old."""
    today = visitors.today()
    held = {it.date: it for it in selectors.days(today - timedelta(days=DAYS - 1), today)}
    return [
        DayRow(it, row.members, row.visitors, row.counts.get("sign_ups", 0))
        for it, row in sorted(held.items(), reverse=True)
    ]


def retention() -> list[CohortRow]:
    """From SQL."""
    this_week = monday_of(visitors.today())
    return [
        CohortRow(it.monday, it.signed_up, list(_came(it, this_week)))
        for it in selectors.retention(WEEKS)
    ]


def _came(cohort: Retention, this_week: date) -> Iterator[Came]:
    for later in range(1, WEEKS + 1):
        count = cohort.active.get(later)
        if count is None or cohort.monday + later * WEEK > this_week:
            yield Came(None, 0)
        else:
            yield Came(count, round(100 * count / cohort.signed_up))


def _members(today: date, span: int) -> int:
    return visitors.actives(today - timedelta(days=it) for it in range(span)).count
