"""Where members were last: noted with what is sent anyway, for nobody but themselves."""

from collections.abc import Callable

import pytest
from django.test import Client
from pytest_django import Settings

from insight.exporting import place
from insight.places import members, recording
from insight.places.models import Place
from insight.places.ranges import UNKNOWN
from insight.places.recording import lookups
from insight.recording.buffer import Visit, buffer
from insight.recording.sending import flush
from insight.tasks import keep_places
from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch
from taskqueue.drain import drain
from tests.cast import browser_of
from tests.insight.places.conftest import BERLIN, DUNEDIN, FRANCE, MUNICH, NOWHERE
from tests.redis_keys import contents_of, keys_of_the_test
from tests.round_trips import counting_round_trips
from users.models import User
from users.standing.account_deletion import remove_account

pytestmark = pytest.mark.usefixtures("measuring")


def come(user: User, address: str, **headers: str) -> None:
    """A second for the visit, and the next one to note where it came from."""
    browser_of(user).get("/", REMOTE_ADDR=address, headers=headers)
    flush()
    flush()


def noted(user: User) -> str:
    number = members.place_of(user.pk)
    return str(Place.objects.get(pk=number)) if number else ""


def later() -> None:
    """Another process, or the same one six hours later."""
    lookups.clear()


def test_the_last_known_place_of_a_member_is_noted(places: None, alice: User, bob: User) -> None:
    come(alice, BERLIN)
    come(bob, DUNEDIN)
    assert (noted(alice), noted(bob)) == ("Berlin, Berlin, DE", "Dunedin, Otago, NZ")
    later()
    come(alice, FRANCE)
    assert noted(alice) == "FR"
    later()
    come(alice, NOWHERE)
    assert noted(alice) == "FR"


def test_a_member_is_looked_up_once_in_six_hours(
    places: None, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    come(alice, BERLIN)
    come(alice, FRANCE)
    assert noted(alice) == "Berlin, Berlin, DE"
    monkeypatch.setattr(recording, "EVERY_SECONDS", -1.0)
    later()
    come(alice, FRANCE)
    come(alice, MUNICH)
    assert noted(alice) == "Munich, Bavaria, DE"


def test_the_address_is_that_behind_our_proxy(
    places: None, alice: User, bob: User, settings: Settings
) -> None:
    come(alice, BERLIN, x_forwarded_for=FRANCE)
    settings.TRUSTED_PROXIES = 1
    come(bob, "127.0.0.1", x_forwarded_for=f"{BERLIN}, {FRANCE}")
    assert (noted(alice), noted(bob)) == ("Berlin, Berlin, DE", "FR")


def test_it_goes_with_what_is_sent_anyway(places: None, alice: User) -> None:
    browser_of(alice).get("/", REMOTE_ADDR=BERLIN)
    for _ in range(2):
        buffer.count("posts")
        with counting_round_trips() as trips:
            flush()
        assert len(trips) == 1, str(trips)
    assert noted(alice) == "Berlin, Berlin, DE"


def test_visitors_and_addresses_that_are_none_leave_nothing(places: None, alice: User) -> None:
    Client().get("/about/", REMOTE_ADDR=BERLIN)
    come(alice, "")
    come(alice, "unix socket")
    assert members.count() == {}


def test_no_address_is_kept(places: None, alice: User, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    browser = browser_of(alice)
    browser.get("/")
    flush()
    later()
    before = set(keys_of_the_test())
    come(alice, BERLIN)
    written = set(keys_of_the_test()) - before
    held = repr(contents_of(sorted(it for it in written if "session" not in it)))
    assert keys.kind(keys.places(0, 0)) in map(keys.kind, written)
    assert BERLIN not in held + repr(written) + caplog.text


def test_without_ranges_in_redis_a_member_is_looked_up_again(places: None, alice: User) -> None:
    get_client().delete(keys.place_ranges("4"))
    come(alice, BERLIN)
    assert noted(alice) == ""
    keep_places.call()
    come(alice, BERLIN)
    assert noted(alice) == "Berlin, Berlin, DE"


def test_many_members_at_once_are_looked_up_in_turns(
    places: None, monkeypatch: pytest.MonkeyPatch, alice: User
) -> None:
    monkeypatch.setattr(recording, "AT_ONCE", 3)
    everybody = range(1, 9)
    for _ in range(4):
        for it in everybody:
            buffer.visit(Visit(it, (BERLIN, FRANCE)[it % 2]))
        flush()
    assert {members.place_of(it) == members.place_of(it + 2) for it in range(1, 7)} == {True}
    assert members.place_of(1) not in (UNKNOWN, members.place_of(2))


def test_off_it_records_nothing(
    places: None, switch: Callable[[bool], None], alice: User, bob: User
) -> None:
    browser_of(alice).get("/", REMOTE_ADDR=BERLIN)
    flush()  # found, and to be noted with the next
    switch(False)
    flush()
    come(bob, BERLIN)
    assert members.count() == {}


def test_off_it_forgets_what_is_there(
    places: None, switch: Callable[[bool], None], alice: User
) -> None:
    come(alice, BERLIN)
    assert keys_of_the_test("places:*")
    switch(False)
    keep_places.call()
    assert keys_of_the_test("place*") == []
    assert list(place(alice)) == []
    switch(True)
    keep_places.call()
    come(alice, BERLIN)
    assert noted(alice) == ""  # the process looked her up a moment ago
    later()
    come(alice, BERLIN)
    assert noted(alice) == "Berlin, Berlin, DE"


def test_a_site_that_measures_nothing_forgets_it_too(
    places: None, settings: Settings, alice: User
) -> None:
    come(alice, BERLIN)
    settings.INSIGHT = False
    keep_places.call()
    assert keys_of_the_test("place*") == []


def test_an_account_that_leaves_takes_its_place_along(places: None, alice: User, bob: User) -> None:
    come(alice, BERLIN)
    come(bob, BERLIN)
    number = members.place_of(alice.pk)
    remove_account(alice)
    drain()
    assert members.count() == {number: 1}


def test_an_account_that_leaves_is_not_noted_afterwards(places: None, alice: User) -> None:
    browser_of(alice).get("/", REMOTE_ADDR=BERLIN)
    flush()
    remove_account(alice)
    drain()
    flush()
    assert members.count() == {}


def test_an_export_has_ones_own_place(places: None, alice: User, bob: User) -> None:
    assert list(place(alice)) == []
    come(alice, BERLIN)
    come(bob, FRANCE)
    assert list(place(alice)) == [{"country": "DE", "region": "Berlin", "city": "Berlin"}]
    assert list(place(bob)) == [{"country": "FR", "region": "", "city": ""}]


def test_two_bytes_hold_every_place_of_every_member(db: None, settings: Settings) -> None:
    settings.PARTITIONS = 3
    chunk = members.MEMBERS_OF_A_CHUNK * settings.PARTITIONS
    numbers = {1: 1, 2: 65_535, 3: 256, chunk - 1: 7, chunk: 8, chunk + 1: 9, 5 * chunk: 10}
    batch = Batch(get_client())
    for user_id, number in numbers.items():
        members.note(batch, user_id, number)
    batch.run()
    assert {it: members.place_of(it) for it in numbers} == numbers
    assert {members.place_of(it) for it in (4, chunk + 2, 3 * chunk)} == {UNKNOWN}
    User.objects.bulk_create([User(pk=6 * chunk, username="newest", email="n@example.com")])
    assert members.count() == dict.fromkeys(numbers.values(), 1)
    sizes = {get_client().strlen(it) for it in keys_of_the_test("places:*")}
    assert sizes == {2 * members.MEMBERS_OF_A_CHUNK}
    members.forget(1)
    members.forget(2 * chunk)  # never noted: makes no chunk
    assert members.place_of(1) == UNKNOWN
    members.forget_all()
    assert keys_of_the_test("places:*") == []
