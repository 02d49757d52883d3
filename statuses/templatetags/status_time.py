"""Times as short as a timeline wants them."""

from datetime import datetime, timedelta

from django import template
from django.utils import timezone
from django.utils.formats import date_format

register = template.Library()


@register.filter
def ago(moment: datetime) -> str:
    """`now`, `5m`, `3h`, `2d`; from a week on the date."""
    return time_between(moment, timezone.now())


def time_between(moment: datetime, now: datetime) -> str:
    age = now - moment
    if age < timedelta(minutes=1):
        return "now"
    if age < timedelta(hours=1):
        return f"{age // timedelta(minutes=1)}m"
    if age < timedelta(days=1):
        return f"{age // timedelta(hours=1)}h"
    if age < timedelta(days=7):
        return f"{age.days}d"
    return date_format(moment, "j M" if moment.year == now.year else "j M Y")
