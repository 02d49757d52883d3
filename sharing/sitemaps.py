"""For search engines: which public pages there are.

Cheap on a large site: a page of the map is a range of ids, so the index takes two queries, and no
page skips over others. Only what explore may have is listed, tags included.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from django.db.models import Max, Min
from django.urls import reverse

from explore.selectors import trending_tags
from redistools.ids import first_id_at, time_of
from statuses.models import Status
from users.models import User

from .addresses import absolute

PEOPLE_PER_PAGE = 5_000
# Of one day, the newest. The standard allows 50,000 addresses in a file.
POSTS_PER_PAGE = 10_000
TAGS = 100
# An index may have 50,000 files: these are the newest.
MOST_DAYS = 20_000


class SitemapEntry(NamedTuple):
    address: str
    changed: str = ""  # when, as the standard wants it; empty if nobody knows


def index() -> Iterator[SitemapEntry]:
    yield SitemapEntry(absolute(reverse("sitemap_site")))
    highest = User.objects.aggregate(highest=Max("pk"))["highest"] or 0
    for number in range(highest // PEOPLE_PER_PAGE + 1):
        yield SitemapEntry(absolute(reverse("sitemap_people", args=[number])))
    for day in _days():
        yield SitemapEntry(absolute(reverse("sitemap_posts", args=[day])))


def _days() -> Iterator[date]:
    ids = Status.objects.aggregate(first=Min("pk"), last=Max("pk"))
    if ids["last"] is None:
        return
    first, last = (time_of(ids[name]).date() for name in ("first", "last"))
    for age in range(min((last - first).days + 1, MOST_DAYS)):
        yield last - timedelta(days=age)


def site() -> Iterator[SitemapEntry]:
    for name in ("home", "explore", "explore_tags", "explore_newest"):
        yield SitemapEntry(absolute(reverse(name)))
    for tag in trending_tags(TAGS):
        yield SitemapEntry(absolute(reverse("tag", args=[tag.name])))


def people(number: int) -> Iterator[SitemapEntry]:
    first = number * PEOPLE_PER_PAGE
    rows = User.objects.filter(pk__gte=first, pk__lt=first + PEOPLE_PER_PAGE, statuses_count__gt=0)
    rows = rows.filter(is_active=True, is_private=False, is_silenced=False).order_by("pk")
    for username in rows.values_list("username", flat=True):
        yield SitemapEntry(absolute(reverse("profile", args=[username])))


def posts(day: date) -> Iterator[SitemapEntry]:
    start = datetime(day.year, day.month, day.day, tzinfo=UTC)
    first, end = first_id_at(start), first_id_at(start + timedelta(days=1))
    rows = Status.objects.listed().without_boosts().filter(pk__gte=first, pk__lt=end)
    found = rows.newest_first().values_list("author__username", "pk", "edited_at")
    for username, pk, edited_at in found[:POSTS_PER_PAGE]:
        changed = edited_at or time_of(pk)
        address = absolute(reverse("status", args=[username, pk]))
        yield SitemapEntry(address, changed.isoformat(timespec="seconds"))
