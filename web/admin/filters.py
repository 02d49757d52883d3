"""Filters that ask for nothing but what an index knows.

Django's `date_hierarchy` reads every row to find the days that there are.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, ClassVar, NamedTuple

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.formats import date_format
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

Choices = Sequence[tuple[str, str]]
_written = re.compile(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?", re.ASCII)


class Period(NamedTuple):
    """A year, a month of it, or a day; in UTC, like the other dates in the admin."""

    year: int
    month: int = 0
    day: int = 0

    def __str__(self) -> str:
        return "-".join([f"{self.year:04}", *(f"{it:02}" for it in (self.month, self.day) if it)])

    @classmethod
    def read(cls, written: str) -> "Period | None":
        match = _written.fullmatch(written)
        period = cls(*(int(it) for it in match.groups() if it)) if match else None
        return period if period and period.is_one else None

    @property
    def is_one(self) -> bool:
        try:
            return bool(self.bounds)
        except (ValueError, OverflowError):
            return False

    @property
    def first(self) -> date:
        return date(self.year, self.month or 1, self.day or 1)

    @property
    def last(self) -> date:
        if self.day:
            return self.first
        if self.month:
            return (self.first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
        return date(self.year, 12, 31)

    @property
    def bounds(self) -> tuple[datetime, datetime]:
        """From the first moment to the first that is no longer in it."""
        return _midnight(self.first), _midnight(self.last + timedelta(days=1))

    @property
    def words(self) -> str:
        if self.day:
            return date_format(self.first)
        return date_format(self.first, "YEAR_MONTH_FORMAT") if self.month else str(self.year)

    @property
    def around(self) -> "list[Period]":
        """What it is a part of, and itself."""
        parts = [Period(self.year), Period(self.year, self.month), self]
        return list(dict.fromkeys(it for it in parts if it.month or not it.day))

    def within(self, first: date, last: date) -> "Iterator[Period]":
        """Its months or its days, newest first; those that these two dates span."""
        if self.day:
            return
        parts = range(31 if self.month else 12, 0, -1)
        for number in parts:
            part = self._replace(**{"day" if self.month else "month": number})
            if part.is_one and part.first <= last and first <= part.last:
                yield part


class DrillDown(admin.SimpleListFilter):
    """By year, then month, then day. Asks for the first row and the last one, by their index."""

    title = _("date")
    parameter_name = "on"
    column: ClassVar[str]
    # From the column to a time, and back.
    time_of: ClassVar[Callable[[Any], datetime]] = staticmethod(lambda it: it)
    value_at: ClassVar[Callable[[datetime], Any]] = staticmethod(lambda it: it)

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:
        rows = model_admin.get_queryset(request)
        ends = [
            rows.order_by(order).values_list(self.column, flat=True).first()
            for order in (self.column, f"-{self.column}")
        ]
        if None in ends:
            return []
        first, last = (type(self).time_of(it).date() for it in ends)
        return [(str(it), it.words) for it in self._offered(first, last)]

    def _offered(self, first: date, last: date) -> list[Period]:
        chosen = self.period
        if chosen is None:
            return [Period(year) for year in range(last.year, first.year - 1, -1)]
        return [*chosen.around, *chosen.within(first, last)]

    @property
    def period(self) -> Period | None:
        return Period.read(self.value() or "")

    def queryset(self, _request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Only until the end of the period: the list says where it begins."""
        if self.period is None:
            return queryset
        return queryset.filter(**{f"{self.column}__lt": self._bounds[1]})

    @property
    def start(self) -> Any:
        return self._bounds[0]

    @property
    def _bounds(self) -> tuple[Any, Any]:
        if self.period is None:
            raise ValueError("No period was chosen")
        start, end = map(type(self).value_at, self.period.bounds)
        return start, end

    def choices(self, changelist: Any) -> Iterator[Any]:
        for choice in super().choices(changelist):
            if choice["display"] == gettext("All"):
                choice["display"] = gettext("Any date")
            yield choice


def dates_of(
    column: str,
    *,
    time_of: Callable[[Any], datetime] | None = None,
    value_at: Callable[[datetime], Any] | None = None,
) -> type[DrillDown]:
    """A drill-down for a column with an index, which has a time or can be told from one."""
    more = {"time_of": time_of, "value_at": value_at}
    given = {name: staticmethod(it) for name, it in more.items() if it}
    return type("Dates", (DrillDown,), {"column": column} | given)


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)
