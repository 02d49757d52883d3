"""Short times for timelines."""

from datetime import datetime, timedelta

from django.utils.formats import date_format

MINUTE, HOUR, DAY, WEEK = (
    timedelta(minutes=1),
    timedelta(hours=1),
    timedelta(days=1),
    timedelta(days=7),
)


def time_between(moment: datetime, now: datetime) -> str:
    """`now`, `5m`, `3h`, `2d`; the date after a week."""
    age = now - moment
    if age < MINUTE:
        return "now"
    if age < HOUR:
        return f"{age // MINUTE}m"
    if age < DAY:
        return f"{age // HOUR}h"
    if age < WEEK:
        return f"{age.days}d"
    return date_format(moment, "j M" if moment.year == now.year else "j M Y")
