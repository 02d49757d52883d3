"""The figures as lines with names, for the page and as CSV."""

import csv
import io
from collections.abc import Iterator
from typing import NamedTuple

from django.utils.translation import gettext

from .figures import Country, Figures
from .models import Place
from .table import name_of_city, name_of_country


class Line(NamedTuple):
    country: str
    city: str  # empty for the whole country
    members: int
    share: float  # of the longest bar, in percent

    @property
    def name(self) -> str:
        return self.city or self.country


def lines(figures: Figures) -> list[Line]:
    """A country, then its cities. One query."""
    longest = max([*(it.members for it in figures.countries), figures.elsewhere, 1])
    numbers = [number for it in figures.countries for number, _ in it.cities]
    places = Place.objects.in_bulk(numbers)
    named = [it for country in figures.countries for it in _named(country, places)]
    if figures.elsewhere:
        named.append((gettext("Elsewhere"), "", figures.elsewhere))
    return [Line(*it, 100 * it[2] / longest) for it in named]


def _named(it: Country, places: dict[int, Place]) -> Iterator[tuple[str, str, int]]:
    country = name_of_country(it.code)
    yield country, "", it.members
    for number, members in it.cities:
        if number in places:
            yield country, name_of_city(places[number]), members
    if it.cities and it.elsewhere:
        yield country, gettext("Elsewhere"), it.elsewhere


def as_csv(figures: Figures) -> str:
    out = io.StringIO()
    rows = csv.writer(out)
    rows.writerow([gettext("Country"), gettext("City"), gettext("Members")])
    rows.writerows(it[:3] for it in lines(figures))
    return out.getvalue()
