"""The table of places: which number stands for which, in two bytes for each member.

A number is given once and keeps its meaning, whatever file is loaded later. Countries come first,
then the cities with the most addresses in the file; once the table is full, a city is its country.
"""

from collections.abc import Iterable
from functools import lru_cache

from babel import Locale
from django.db.models import Max
from django.utils.translation import get_language, to_locale

from redistools.chunks import chunks

from .files import Contents, Name
from .models import Place
from .ranges import UNKNOWN

MOST_PLACES = 65_535
# More than there are countries, in whichever files.
FOR_COUNTRIES = 700
AT_ONCE = 2_000


def numbers_for(found: Contents) -> list[int]:
    """For the numbers that a file has for its places, ours; 0 stays unknown. In transactions of
    their own: a place that nothing leads to yet does no harm.
    """
    held = _held()
    for wanted, room in _wanted(found):
        _add([it for it in wanted if it not in held], found, most=MOST_PLACES - room)
        held = _held()
    places = [held.get(it) or held.get(it.of_country, UNKNOWN) for it in found.names]
    return [UNKNOWN, *places]


def _wanted(found: Contents) -> list[tuple[list[Name], int]]:
    """Countries, then cities, and how much room each leaves to others."""
    by_size = sorted(zip(found.sizes, found.names, strict=True), key=lambda it: (-it[0], it[1]))
    names = [name for _, name in by_size]
    cities = [it for it in names if it.city]
    return [([it for it in names if not it.city], 0), (cities, FOR_COUNTRIES)]


def _held() -> dict[Name, int]:
    rows = Place.objects.values_list("country", "region", "city", "number")
    return {Name(country, region, city): number for country, region, city, number in rows}


def _add(names: Iterable[Name], found: Contents, *, most: int) -> None:
    """Another load may take the same numbers for others: its rows stay, and ours are left out."""
    last = Place.objects.aggregate(last=Max("number"))["last"] or 0
    rows = (
        Place(number=number, **name._asdict(), names=dict(found.called[name]))
        for number, name in zip(range(last + 1, most + 1), names)  # noqa: B905 - as many as have room
    )
    for some in chunks(rows, AT_ONCE):
        Place.objects.bulk_create(some, ignore_conflicts=True)


def name_of_country(code: str) -> str:
    """In the language of the reader."""
    return _countries(get_language() or "en").get(code, code)


@lru_cache
def _countries(language: str) -> dict[str, str]:
    return dict(Locale.parse(to_locale(language)).territories)


def name_of_city(place: Place) -> str:
    """With its region, unless that is called the same."""
    called = place.names.get(get_language() or "en") or place.city
    return called if place.region in ("", place.city) else f"{called} ({place.region})"
