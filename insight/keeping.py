"""Writes to SQL what would be missed if Redis lost its memory. Doing it again changes nothing but
what has become more.
"""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta

from django.db import transaction

from users.models import User

from .figures import FIGURES
from .models import Cohort, Day
from .precisions import PRECISIONS
from .structures import series, visitors

PER_DAY = PRECISIONS[-1]
WEEK = timedelta(days=7)
# Weeks of sign-ups that are looked at; who came before them is no longer news.
MOST_COHORTS = 26

COUNTERS = [name for name, it in FIGURES.items() if it.kind == "counter" and it.labels == ()]


def keep_day(day: date) -> None:
    """Two round trips for the figures, one for the members."""
    counts = counts_of(day)
    found = {"visitors": visitors.count([day]), "members": visitors.actives([day]).count}
    with transaction.atomic():
        row, _ = Day.objects.select_for_update().get_or_create(date=day)
        row.visitors = max(row.visitors, found["visitors"])
        row.members = max(row.members, found["members"])
        row.counts = highest(row.counts, counts)
        row.save()


def counts_of(day: date) -> dict[str, int]:
    since = int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())
    wanted = [(name, "") for name in COUNTERS]
    found = series.read_each(wanted, PER_DAY, since, since + PER_DAY.seconds)
    values = {name: it[0].value or 0 for name, it in zip(COUNTERS, found, strict=True)}
    return {name: value for name, value in values.items() if value}


def highest(held: Mapping[str, int], new: Mapping[str, int]) -> dict[str, int]:
    return {name: max(held.get(name, 0), new.get(name, 0)) for name in {**held, **new}}


def keep_week(monday: date) -> None:
    """Who was here in this week, of those who signed up in it or before. One round trip; O(cohorts)
    queries, each by primary key.
    """
    active = visitors.actives([monday + timedelta(days=it) for it in range(7)])
    cohorts = ensure_cohorts(monday)
    ends = [it.first_id for it in cohorts[1:]] + [first_id_since(monday + WEEK)]
    for cohort, end in zip(cohorts, ends, strict=True):
        _keep_cohort(cohort, end, {monday.isoformat(): active.between(cohort.first_id, end)})


def _keep_cohort(cohort: Cohort, end: int, active: dict[str, int]) -> None:
    with transaction.atomic():
        row = Cohort.objects.select_for_update().get(pk=cohort.pk)
        here = User.objects.filter(pk__gte=row.first_id, pk__lt=end).count()
        row.signed_up = max(row.signed_up, here)
        row.active = highest(row.active, active)
        row.save()


def ensure_cohorts(last: date) -> list[Cohort]:
    """Of the weeks up to this one, the oldest first."""
    mondays = [last - it * WEEK for it in reversed(range(MOST_COHORTS))]
    held = Cohort.objects.in_bulk(mondays)
    for monday in mondays:
        if monday not in held:
            first_id = first_id_since(monday)
            held[monday], _ = Cohort.objects.get_or_create(
                monday=monday, defaults={"first_id": first_id}
            )
    return [held[monday] for monday in mondays]


def first_id_since(day: date) -> int:
    """The id of the first account since then, or one more than the highest. Some twenty queries by
    primary key: dates have no index.
    """
    moment = datetime(day.year, day.month, day.day, tzinfo=UTC)
    newest = User.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    low, high = 1, newest + 1
    while low < high:
        middle = (low + high) // 2
        account = User.objects.filter(pk__gte=middle).order_by("pk")
        found = account.values_list("pk", "date_joined").first()
        if found is None or found[1] >= moment:
            high = middle
        else:
            low = found[0] + 1
    return low


def monday_of(day: date) -> date:
    return day - timedelta(days=day.weekday())
