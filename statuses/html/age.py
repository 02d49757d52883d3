"""Short times for timelines."""

from datetime import date, datetime, timedelta
from functools import lru_cache

from django.utils.formats import date_format
from django.utils.translation import get_language, override, pgettext

MINUTE, HOUR, DAY, WEEK = (
    timedelta(minutes=1),
    timedelta(hours=1),
    timedelta(days=1),
    timedelta(days=7),
)


def time_between(moment: datetime, now: datetime) -> str:
    """Returns `now`, `5m`, `3h`, `2d`; the date after a week."""
    return age_in(get_language() or "", moment, now)


def age_in(language: str, moment: datetime, now: datetime) -> str:
    """For many at once: to ask for the language takes longer than all the rest."""
    age = now - moment
    if age < WEEK:
        return _age(language, age // MINUTE)
    return _date(language, moment.date(), has_year=moment.year != now.year)


@lru_cache(20_000)
def _age(language: str, minutes: int) -> str:
    with override(language):
        if minutes < 1:
            return pgettext("age", "now")
        if minutes < HOUR // MINUTE:
            return pgettext("age", "%(minutes)sm") % {"minutes": minutes}
        if minutes < DAY // MINUTE:
            return pgettext("age", "%(hours)sh") % {"hours": minutes * MINUTE // HOUR}
        return pgettext("age", "%(days)sd") % {"days": minutes * MINUTE // DAY}


@lru_cache(20_000)
def _date(language: str, day: date, *, has_year: bool) -> str:
    with override(language):
        return date_format(day, "SHORT_DATE_FORMAT" if has_year else "MONTH_DAY_FORMAT")
