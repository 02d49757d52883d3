"""A new file replaces the old one at once, and what was noted keeps its meaning."""

from typing import Any

import pytest

from insight.places import loading, store, table
from insight.places.models import Place, PlacesFile, PlacesPart
from insight.tasks import keep_places
from redistools import keys
from redistools.client import get_binary_client, get_client
from redistools.serving_copy import SITE, stores
from tests.insight.places.conftest import BERLIN, DUNEDIN, FILE, FRANCE, MUNICH, Load
from tests.insight.places.looking import where
from tests.redis_keys import keys_of_the_test


def test_a_place_keeps_its_number_whatever_is_loaded_later(places: None, load: Load) -> None:
    before = {str(it): it.pk for it in Place.objects.all()}
    load("192.0.2.0,192.0.2.255,CH,Zurich,Zurich\n198.51.100.0,198.51.100.255,DE,Bavaria,Munich\n")
    after = {str(it): it.pk for it in Place.objects.all()}
    assert before.items() <= after.items()
    assert [where(it) for it in (BERLIN, FRANCE, DUNEDIN)] == [
        "Zurich, Zurich, CH",
        "Munich, Bavaria, DE",
        "",
    ]


def test_only_the_newest_file_is_kept(places: None, load: Load) -> None:
    newest = load(FILE)
    assert list(PlacesFile.objects.all()) == [newest]
    assert set(PlacesPart.objects.values_list("file", flat=True)) == {newest.pk}
    assert len(keys_of_the_test("place_*")) == 3


def test_once_the_table_is_full_a_city_is_its_country(
    places: None, load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Place.objects.count()
    monkeypatch.setattr(table, "MOST_PLACES", held + 4)
    monkeypatch.setattr(table, "FOR_COUNTRIES", 2)
    load(
        "192.0.2.0,192.0.2.7,IT,Lazio,Rome\n"
        "192.0.2.8,192.0.2.255,IT,Sicily,Palermo\n"
        "198.51.100.0,198.51.100.255,AT,,\n"
    )
    assert [where(it) for it in ("192.0.2.1", MUNICH, FRANCE)] == ["IT", "IT", "AT"]
    assert Place.objects.count() == held + 2
    monkeypatch.setattr(table, "FOR_COUNTRIES", 1)
    load("192.0.2.0,192.0.2.7,IT,Lazio,Rome\n192.0.2.8,192.0.2.255,IT,Sicily,Palermo\n")
    # The city with more addresses comes first.
    assert [where(it) for it in ("192.0.2.1", MUNICH)] == ["IT", "Palermo, Sicily, IT"]


def test_what_redis_has_lost_is_loaded_from_sql(places: None) -> None:
    for lost in store.names():
        get_client().delete(lost)
        keep_places.call()
        assert [where(it) for it in (BERLIN, DUNEDIN)] == [
            "Berlin, Berlin, DE",
            "Dunedin, Otago, NZ",
        ]


def test_a_load_that_died_before_redis_had_it_is_made_good(
    places: None, load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(loading, "keep", lambda: None)
        load(FILE.replace("Munich", "Passau"))
    assert where(MUNICH) == "Munich, Bavaria, DE"
    keep_places.call()
    assert where(MUNICH) == "Passau, Bavaria, DE"


def test_readers_find_the_old_ranges_until_all_new_ones_are_there(
    places: None, load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_args: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(store, "_replace_ranges", die)
        with pytest.raises(KeyboardInterrupt):
            load(FILE.replace("Munich", "Passau"))
    assert where(MUNICH) == "Munich, Bavaria, DE"
    left = [it for it in keys_of_the_test("place_load*") if get_client().ttl(it) > 0]
    assert len(left) == len(keys_of_the_test("place_load*")) == 2
    keep_places.call()
    assert where(MUNICH) == "Passau, Bavaria, DE"
    assert {get_client().ttl(it) for it in store.names()} == {-1}


def test_ranges_that_differ_from_sql_are_found_and_repaired(places: None) -> None:
    (ranges,) = [it for it in stores(SITE) if it.kind == "place_ranges"]
    assert list(ranges.differences([None])) == []
    name = keys.place_ranges("4")
    client: Any = get_binary_client()
    (content,) = client.zrange(name, 0, -1)
    client.zrem(name, content)
    client.zadd(name, {content[:-1] + b"\7": 0})
    (difference,) = ranges.differences([None])
    assert str(difference) == "ranges of IPv4 addresses differ from SQL"
    difference.repair()
    assert list(ranges.differences([None])) == []
    get_client().delete(name)
    assert list(ranges.differences([None])) == []  # unknown is not wrong
    ranges.rebuild([None], also_unread=True)
    assert where(MUNICH) == "Munich, Bavaria, DE"


def test_an_empty_site_has_nothing_to_load(places: None) -> None:
    PlacesFile.objects.all().delete()
    store.unload()
    keep_places.call()
    assert keys_of_the_test("place_*") == []
    assert where_is_unknown()


def where_is_unknown() -> bool:
    try:
        where(BERLIN)
    except TypeError:  # nothing instead of numbers
        return True
    return False
