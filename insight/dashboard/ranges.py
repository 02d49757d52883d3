"""How far back plots go, and in which steps: some sixty, so that a table beneath stays readable."""

import time
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from ..precisions import DAY, FIRST_MONDAY, HOUR, MINUTE, Precision, precision, since_monday


class Window(NamedTuple):
    """From the first step of a period on, before the end of its last; and of the one before it."""

    before: int
    since: int
    until: int
    step: int

    @property
    def steps(self) -> range:
        return range(self.since, self.until, self.step)


class Range(NamedTuple):
    key: str
    words: str | Promise
    before_words: str | Promise
    precision_name: str
    step: int  # of one or more samples
    points: int

    @property
    def precision(self) -> Precision:
        return precision(self.precision_name)

    @property
    def shows(self) -> str:
        """What of a time is written below plots: seconds, minutes, hours or days."""
        if self.step < MINUTE:
            return "second"
        return "minute" if self.step * self.points <= DAY else "day" if self.step >= DAY else "hour"

    def window(self, now: int) -> Window:
        """Its last step is the running one."""
        until = FIRST_MONDAY + (since_monday(now) // self.step + 1) * self.step
        length = self.step * self.points
        return Window(until - 2 * length, until - length, until, self.step)

    def window_now(self) -> Window:
        return self.window(int(time.time()))


RANGES = (
    Range("5min", _("5 minutes"), _("the 5 minutes before"), "5 s", 5, 60),
    Range("hour", pgettext_lazy("range", "1 hour"), _("the hour before"), "1 min", MINUTE, 60),
    Range("day", pgettext_lazy("range", "1 day"), _("the day before"), "5 min", 30 * MINUTE, 48),
    Range("week", pgettext_lazy("range", "1 week"), _("the week before"), "1 h", 3 * HOUR, 56),
    Range("month", pgettext_lazy("range", "1 month"), _("the month before"), "1 day", DAY, 30),
    Range("year", pgettext_lazy("range", "1 year"), _("the year before"), "1 day", 7 * DAY, 52),
)
BY_KEY = {it.key: it for it in RANGES}
DEFAULT = BY_KEY["hour"]


def range_called(key: str) -> Range:
    return BY_KEY.get(key, DEFAULT)
