"""Lists through the pages."""

import re

import pytest
from django.test import Client

from lists import services
from lists.models import List
from lists.services import add_to_list, create_list
from statuses.services import post_status
from tests.cast import browser_of, clicks, make_user
from users.models import User

READING = ["", "members/"]
OWNERS = ["edit/", "delete/"]
ACTIONS = ["members/add/", "members/remove/"]


@pytest.fixture
def tea_party(alice: User) -> List:
    return create_list(owner=alice, name="Tea party")


@pytest.fixture
def secret(alice: User) -> List:
    return create_list(owner=alice, name="Secret", is_private=True)


def members(list_: List) -> list[str]:
    return [member.user.username for member in list_.members.order_by("pk")]


def test_a_list_is_made_and_leads_to_its_members(alice: User) -> None:
    browser = browser_of(alice)
    assert "You have no lists yet" in browser.get("/lists/").content.decode()
    answer = browser.post("/lists/", {"name": " Tea party ", "is_private": "on"})
    made = List.objects.get()
    assert answer["Location"] == f"/lists/{made.pk}/members/"
    assert (made.owner, made.name, made.is_private) == (alice, "Tea party", True)
    page = browser.get("/lists/").content.decode()
    assert re.search(rf'href="/lists/{made.pk}/">.*\n<bdi class="row-name">Tea party</bdi>', page)
    assert "Private</span>" in page


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("", "This field is required."),
        ("  ", "This field is required."),
        ("x" * 51, "at most 50 characters"),
        ("TEA PARTY", "You have a list of this name already."),
        ("nul\x00l", "Null characters"),
    ],
)
def test_a_name_that_is_refused_is_told(tea_party: List, name: str, complaint: str) -> None:
    browser = browser_of(tea_party.owner)
    other = create_list(owner=tea_party.owner, name="Other")
    for address in ("/lists/", f"/lists/{other.pk}/edit/"):
        answer = browser.post(address, {"name": name})
        assert answer.status_code == 400
        assert complaint in answer.content.decode()
    assert sorted(List.objects.values_list("name", flat=True)) == ["Other", "Tea party"]


def test_a_double_click_makes_one_list(alice: User) -> None:
    browsers = [browser_of(alice) for _ in range(4)]
    codes = clicks(browsers, "/lists/", {"name": "Tea party"})
    assert sorted(codes) == [302, 400, 400, 400]
    assert List.objects.count() == 1


def test_more_lists_than_the_most_are_refused(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MAX_LISTS", 1)
    browser = browser_of(alice)
    browser.post("/lists/", {"name": "one"})
    answer = browser.post("/lists/", {"name": "two"})
    assert answer.status_code == 400
    assert "You have 1 lists, the maximum." in answer.content.decode()


def test_a_list_shows_what_its_members_say(
    client: Client, tea_party: List, bob: User, carol: User
) -> None:
    add_to_list(list_=tea_party, user=bob)
    post_status(author=bob, text="more tea")
    post_status(author=carol, text="no tea")
    page = client.get(f"/lists/{tea_party.pk}/").content.decode()
    assert "more tea" in page
    assert "no tea" not in page
    assert "<title>Tea party · Socialsite</title>" in page


def test_an_empty_list_says_what_next(client: Client, tea_party: List, bob: User) -> None:
    address = f"/lists/{tea_party.pk}/"
    assert b"Add people</a>" in browser_of(tea_party.owner).get(address).content
    assert b"Once @alice adds people" in client.get(address).content
    add_to_list(list_=tea_party, user=bob)
    assert b"What the members of this list post" in client.get(address).content


def test_a_list_is_renamed_and_hidden(tea_party: List) -> None:
    browser = browser_of(tea_party.owner)
    address = f"/lists/{tea_party.pk}/edit/"
    assert b'value="Tea party"' in browser.get(address).content
    answer = browser.post(address, {"name": "Hatters", "is_private": "on"})
    assert answer["Location"] == f"/lists/{tea_party.pk}/"
    tea_party.refresh_from_db()
    assert (tea_party.name, tea_party.is_private) == ("Hatters", True)


def test_deleting_a_list_asks_first(tea_party: List, bob: User) -> None:
    add_to_list(list_=tea_party, user=bob)
    browser = browser_of(tea_party.owner)
    address = f"/lists/{tea_party.pk}/delete/"
    assert "Delete the list “<bdi>Tea party</bdi>”?" in browser.get(address).content.decode()
    assert List.objects.exists()
    assert browser.post(address)["Location"] == "/lists/"
    assert not List.objects.exists()
    assert "“Tea party” is deleted." in browser.get("/lists/").content.decode()
    assert browser.post(address).status_code == 404


def test_people_are_added_by_name_and_removed(tea_party: List, bob: User) -> None:
    browser = browser_of(tea_party.owner)
    address = f"/lists/{tea_party.pk}/members/"
    for name in ("@BOB", "bob"):  # twice is once
        answer = browser.post(f"{address}add/", {"username": name})
        assert (answer.status_code, answer["Location"]) == (302, f"{address}#person-bob")
    assert members(tea_party) == ["bob"]
    assert b"Remove<" in browser.get(address).content
    assert browser.post(f"{address}remove/", {"username": "bob"})["Location"] == address
    assert members(tea_party) == []
    assert browser.post(f"{address}remove/", {"username": "bob"}).status_code == 404


def test_adding_people_keeps_the_search(tea_party: List, bob: User) -> None:
    browser = browser_of(tea_party.owner)
    search = f"/lists/{tea_party.pk}/members/find/?q=bo"
    page = browser.get(search).content.decode()
    assert f'name="next" value="{search}"' in page
    add = f"/lists/{tea_party.pk}/members/add/"
    answer = browser.post(add, {"username": "bob", "next": search})
    assert answer["Location"] == f"{search}#person-bob"
    page = browser.get(search).content.decode()
    assert "@bob is in the list." in page
    assert "In the list" in page
    for elsewhere in ("//evil.example/", "https://evil.example/"):
        answer = browser.post(add, {"username": "bob", "next": elsewhere})
        assert answer["Location"].startswith("/lists/")


@pytest.mark.parametrize("name", ["", "nobody_", "x" * 40, "<b>", "dave"])
def test_who_is_not_here_is_not_added(tea_party: List, name: str) -> None:
    make_user("dave", is_active=False)
    address = f"/lists/{tea_party.pk}/members/add/"
    answer = browser_of(tea_party.owner).post(address, {"username": name})
    assert answer.status_code == 400
    assert "field-error" in answer.content.decode()
    assert "<b>" not in answer.content.decode()
    assert members(tea_party) == []


def test_a_full_list_takes_nobody(
    tea_party: List, bob: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "MAX_MEMBERS", 1)
    add_to_list(list_=tea_party, user=bob)
    address = f"/lists/{tea_party.pk}/members/add/"
    answer = browser_of(tea_party.owner).post(address, {"username": "carol"})
    assert answer.status_code == 400
    assert "A list has at most 1 members." in answer.content.decode()


def test_many_members_come_in_pages(
    tea_party: List, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("relations.selectors.PEOPLE_PER_PAGE", 2)
    for n in range(3):
        add_to_list(list_=tea_party, user=make_user(f"guest{n}"))
    address = f"/lists/{tea_party.pk}/members/"
    first = client.get(address)
    older = first.context["people"].older
    assert f'href="{address}?max_id={older}"' in first.content.decode()
    second = client.get(address, {"max_id": older})
    seen = [[p.username for p in page.context["people"].shown] for page in (first, second)]
    assert seen == [["guest2", "guest1"], ["guest0"]]


def test_others_read_a_public_list_but_change_nothing(
    client: Client, tea_party: List, carol: User
) -> None:
    stranger = browser_of(carol)
    for page in READING:
        assert client.get(f"/lists/{tea_party.pk}/{page}").status_code == 200
        assert "Edit" not in stranger.get(f"/lists/{tea_party.pk}/{page}").content.decode()
    for page in OWNERS:
        assert stranger.get(f"/lists/{tea_party.pk}/{page}").status_code == 403
    for page in OWNERS + ACTIONS:
        answer = stranger.post(f"/lists/{tea_party.pk}/{page}", {"username": "carol", "name": "x"})
        assert answer.status_code == 403
    tea_party.refresh_from_db()
    assert (tea_party.name, members(tea_party)) == ("Tea party", [])


def test_a_private_list_does_not_exist_for_others(
    client: Client, secret: List, carol: User
) -> None:
    stranger = browser_of(carol)
    for page in READING:
        assert client.get(f"/lists/{secret.pk}/{page}").status_code == 404
    for page in READING + OWNERS:
        assert stranger.get(f"/lists/{secret.pk}/{page}").status_code == 404
        assert browser_of(secret.owner).get(f"/lists/{secret.pk}/{page}").status_code == 200
    for page in OWNERS + ACTIONS:
        assert stranger.post(f"/lists/{secret.pk}/{page}").status_code == 404
    assert List.objects.exists()


def test_a_suspended_owners_list_is_not_there(client: Client, tea_party: List) -> None:
    User.objects.update(is_active=False)
    assert client.get(f"/lists/{tea_party.pk}/").status_code == 404


def test_visitors_log_in_first(client: Client, tea_party: List) -> None:
    for page in ["/lists/", *(f"/lists/{tea_party.pk}/{page}" for page in OWNERS)]:
        assert client.get(page)["Location"] == f"/login/?next={page}"
        assert client.post(page)["Location"] == f"/login/?next={page}"
    back = f"/lists/{tea_party.pk}/members/"
    for page in ACTIONS:
        answer = client.post(f"/lists/{tea_party.pk}/{page}", {"next": back})
        assert answer["Location"] == f"/login/?next={back}"


def test_lists_know_their_methods_tokens_and_cursors(tea_party: List) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(tea_party.owner)
    for page in READING:
        assert browser.post(f"/lists/{tea_party.pk}/{page}").status_code == 403
        assert browser_of(tea_party.owner).post(f"/lists/{tea_party.pk}/{page}").status_code == 405
        assert browser.get(f"/lists/{tea_party.pk}/{page}?max_id=x").status_code == 400
    for page in ACTIONS:
        assert browser.get(f"/lists/{tea_party.pk}/{page}").status_code == 405
    for page in ["/lists/", *(f"/lists/{tea_party.pk}/{page}" for page in OWNERS + ACTIONS)]:
        assert browser.post(page, {"name": "forged", "username": "alice"}).status_code == 403
    assert browser.get(f"/lists/{'9' * 16}/").status_code == 404
    assert List.objects.get().name == "Tea party"


def test_a_lists_name_is_no_markup(client: Client, tea_party: List) -> None:
    List.objects.update(name="<script>alert(1)</script>")
    for browser in (client, browser_of(tea_party.owner)):
        for page in READING:
            html = browser.get(f"/lists/{tea_party.pk}/{page}").content.decode()
            assert "&lt;script&gt;" in html
            assert "<script>alert" not in html
    for page in OWNERS:
        html = browser_of(tea_party.owner).get(f"/lists/{tea_party.pk}/{page}").content.decode()
        assert "<script>alert" not in html
