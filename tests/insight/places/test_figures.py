"""How many members are where: never fewer than ten, and nothing that a difference would tell."""

import csv
import io
import json
from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.test import Client

from insight import metrics
from insight.places import figures, members
from insight.places.models import Place
from insight.places.table import name_of_city, name_of_country
from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch
from staff.roles import Role
from staff.services import give_role, set_rights
from tests.cast import browser_of, make_user
from tests.outages import redis_away
from users.models import User

ADDRESS = "/admin/insight/place/"


def put(**counts: int) -> None:
    """So many members into each of these places, and no others."""
    User.objects.get_or_create(pk=1_000, username="newest", email="newest@example.com")
    numbers = {it.city or it.country: it.pk for it in Place.objects.all()}
    members.forget_all()
    batch, user_id = Batch(get_client()), 0
    for name, count in counts.items():
        for _ in range(count):
            user_id += 1
            members.note(batch, user_id, numbers[name])
    batch.run()
    figures.forget()


@pytest.fixture
def boss(root: User) -> Client:
    return browser_of(root)


def rows(boss: Client) -> list[list[str]]:
    answer = boss.get(f"{ADDRESS}?as=csv")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.reader(io.StringIO(answer.content.decode())))[1:]


def test_countries_and_their_cities_are_counted_in_tens(places: None, boss: Client) -> None:
    put(Berlin=25, Munich=10, FR=31)
    assert rows(boss) == [
        ["Germany", "", "30"],
        ["Germany", "Berlin", "20"],
        ["Germany", "Munich (Bavaria)", "10"],
        ["France", "", "30"],
    ]


def test_fewer_than_ten_are_elsewhere(places: None, boss: Client) -> None:
    put(Berlin=25, Munich=9, Dunedin=9, FR=9)
    assert rows(boss) == [
        ["Germany", "", "30"],
        ["Germany", "Berlin", "20"],
        ["Elsewhere", "", "10"],
    ]
    put(Berlin=25, Munich=9, DE=1, FR=9)
    assert rows(boss) == [
        ["Germany", "", "30"],
        ["Germany", "Berlin", "20"],
        ["Germany", "Elsewhere", "10"],
    ]


def test_nine_members_are_nowhere_to_be_seen(places: None, boss: Client) -> None:
    """Neither on the page nor anywhere else that shows figures."""
    put(Berlin=9)
    shown = boss.get(ADDRESS).content.decode()
    out = io.StringIO()
    call_command("insight", "--json", stdout=out)
    held = str(get_client().get(keys.place_figures()))
    for said in (shown, str(rows(boss)), metrics.exposition(), out.getvalue(), held):
        assert "Berlin" not in said
        assert "Germany" not in said
        assert '"DE"' not in said
    assert "There are no ten members in any place yet" in shown


@pytest.mark.parametrize("more", range(10))
def test_one_member_more_or_less_is_no_difference(places: None, boss: Client, more: int) -> None:
    """Of a country less its cities, and of today less yesterday."""
    put(Berlin=20 + more, Munich=more, FR=10)
    germany, berlin = rows(boss)[0], rows(boss)[1]
    assert germany[2] in ("20", "30")
    assert berlin[2] == "20"
    assert not any("Munich" in row for row in rows(boss))
    assert {int(row[2]) % 10 for row in rows(boss)} == {0}


def test_figures_are_taken_once_a_day(places: None, boss: Client) -> None:
    put(Berlin=20)
    before = rows(boss)
    batch = Batch(get_client())
    for user_id in range(100, 200):
        members.note(batch, user_id, 1)
    batch.run()
    assert rows(boss) == before
    assert 0 < int(get_client().ttl(keys.place_figures())) <= figures.DAY


def test_redis_keeps_no_exact_figure(places: None, boss: Client) -> None:
    put(Berlin=25, Munich=17, Dunedin=13)
    rows(boss)
    held = json.loads(str(get_client().get(keys.place_figures())))
    del held["taken_at"]
    numbers = {it.city: it.pk for it in Place.objects.exclude(city="")}
    cities = [[numbers["Berlin"], 20], [numbers["Munich"], 10]]
    germany = {"code": "DE", "members": 40, "cities": cities, "elsewhere": 0}
    nz = {"code": "NZ", "members": 10, "cities": [[numbers["Dunedin"], 10]], "elsewhere": 0}
    assert held == {"countries": [germany, nz], "elsewhere": 0}


def test_off_there_is_nothing_to_see(
    places: None, boss: Client, switch: Callable[[bool], None]
) -> None:
    put(Berlin=20)
    rows(boss)
    switch(False)
    shown = boss.get(f"{ADDRESS}?as=csv").content.decode()
    assert "Nothing is noted: it is switched off." in shown
    assert "Berlin" not in shown


def test_without_a_file_the_page_says_how_to_get_one(boss: Client) -> None:
    shown = boss.get(ADDRESS).content.decode()
    for it in ("There is no file yet", "GeoLite2", "DB-IP Lite", "IP2Location LITE", "load_places"):
        assert it in shown


def test_the_page_shows_the_file_and_bars(places: None, boss: Client) -> None:
    put(Berlin=40, FR=10)
    shown = boss.get(ADDRESS).content.decode()
    assert "places.csv, with 5 ranges of addresses" in shown
    assert 'width="100.0"' in shown
    assert 'width="25.0"' in shown


def test_names_are_in_the_language_of_the_reader(places: None, boss: Client, root: User) -> None:
    put(Berlin=40)
    Place.objects.filter(city="Berlin").update(names={"zh-hans": "柏林"})
    User.objects.filter(pk=root.pk).update(language="zh-hans")
    assert rows(boss) == [["德国", "", "40"], ["德国", "柏林", "40"]]


def test_what_has_no_name_is_called_by_its_code() -> None:
    assert name_of_country("QX") == "QX"
    assert name_of_city(Place(country="DE", region="Bavaria", city="Munich")) == "Munich (Bavaria)"


@pytest.mark.parametrize(("role", "status"), [(Role.SUPPORT, 200), (Role.MODERATOR, 403)])
def test_support_reads_it_and_moderators_do_not(places: None, role: Role, status: int) -> None:
    set_rights()
    user = make_user("helper")
    give_role(user=user, role=role)
    browser = browser_of(User.objects.get(pk=user.pk))
    assert browser.get(ADDRESS).status_code == status
    assert browser.get(f"{ADDRESS}?as=csv").status_code == status
    assert browser.post(ADDRESS).status_code == 403


def test_without_redis_the_page_says_so(places: None, boss: Client) -> None:
    boss.raise_request_exception = False
    with redis_away():
        assert boss.get(ADDRESS).status_code == 503


def test_the_page_about_privacy_says_so_only_while_it_is_on(
    places: None, switch: Callable[[bool], None]
) -> None:
    words = "The country and city of your last visit"
    for is_on in (True, False):
        switch(is_on)
        assert (words in Client().get("/privacy-policy/").content.decode()) == is_on
