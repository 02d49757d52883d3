"""How many members are where: ten and more, in tens, taken once a day.

Who looks twice sees the same, and a sum less its parts leaves no single person: every number is
rounded down to tens by itself, and no exact one is ever kept.
"""

import json
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from redistools import keys
from redistools.client import get_client

from . import members
from .models import Place

LEAST = 10
DAY = 24 * 3600
# Where nothing can be shown yet.
EMPTY_SECONDS = 3600


@dataclass
class Country:
    code: str
    members: int
    cities: list[tuple[int, int]] = field(default_factory=list)  # number of the place, and members
    elsewhere: int = 0  # in the country


@dataclass
class Figures:
    taken_at: int
    countries: list[Country]
    elsewhere: int  # in countries with fewer than ten


def of_today() -> Figures:
    """One round trip; once a day O(accounts)."""
    client: Any = get_client()
    held = client.get(keys.place_figures())
    if held is None:
        taken = take()
        seconds = DAY if taken.countries else EMPTY_SECONDS
        client.set(keys.place_figures(), json.dumps(asdict(taken)), ex=seconds, nx=True)
        held = client.get(keys.place_figures())
    return _read(held) if held else taken


def _read(held: str) -> Figures:
    found = json.loads(held)
    countries = [
        Country(**it | {"cities": [tuple(city) for city in it["cities"]]})
        for it in found["countries"]
    ]
    return Figures(**found | {"countries": countries})


def take() -> Figures:
    counts = members.count()
    places = Place.objects.in_bulk(list(counts))
    by_country: dict[str, list[tuple[Place, int]]] = defaultdict(list)
    for number, count in counts.items():
        if number in places:
            by_country[places[number].country].append((places[number], count))
    return folded({code: dict(it) for code, it in by_country.items()})


def folded(by_country: Mapping[str, Mapping[Place, int]]) -> Figures:
    """The most first. Whatever has fewer than ten is elsewhere, and so are the members of whom only
    the country is known.
    """
    totals = Counter({code: sum(places.values()) for code, places in by_country.items()})
    shown = {code for code, total in totals.items() if total >= LEAST}
    countries = [_country(code, by_country[code]) for code in shown]
    rest = sum(total for code, total in totals.items() if code not in shown)
    in_order = sorted(countries, key=lambda it: (-it.members, it.code))
    return Figures(int(time.time()), in_order, in_tens(rest))


def _country(code: str, places: Mapping[Place, int]) -> Country:
    cities = {it.pk: count for it, count in places.items() if it.city and count >= LEAST}
    total = sum(places.values())
    rest = total - sum(cities.values())
    shown = [(number, in_tens(count)) for number, count in cities.items()]
    in_order = sorted(shown, key=lambda it: (-it[1], it[0]))
    return Country(code, in_tens(total), in_order, in_tens(rest))


def in_tens(count: int) -> int:
    return count - count % LEAST


def forget() -> None:
    get_client().unlink(keys.place_figures())
