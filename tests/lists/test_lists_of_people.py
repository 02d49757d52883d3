"""Lists on profiles, sorting somebody into lists, finding members by name."""

import pytest
from django.test import Client

from lists.models import List
from lists.services import add_to_list, create_list
from relations.blocks_and_mutes.services import block
from tests.cast import browser_of, clicks, make_user
from users.models import User


@pytest.fixture
def tea(alice: User) -> List:
    return create_list(owner=alice, name="Tea party")


@pytest.fixture
def secret(alice: User) -> List:
    return create_list(owner=alice, name="Hush", is_private=True)


def text_of(browser: Client, address: str) -> str:
    answer = browser.get(address)
    assert answer.status_code == 200, address
    return answer.content.decode()


def lists_with(user: User) -> set[str]:
    return set(List.objects.filter(members__user=user).values_list("name", flat=True))


def test_a_profile_shows_public_lists_and_to_its_owner_all(
    alice: User, carol: User, tea: List, secret: List, client: Client
) -> None:
    for browser in (client, browser_of(carol)):
        page = text_of(browser, "/@alice/lists/")
        assert f'href="/lists/{tea.pk}/"' in page
        assert "Hush" not in page
    assert "Hush" in text_of(browser_of(alice), "/@alice/lists/")
    assert 'href="/@alice/lists/"' in text_of(client, "/@alice/")


def test_without_lists_the_page_says_so(alice: User, carol: User) -> None:
    assert "@alice has no public lists" in text_of(browser_of(carol), "/@alice/lists/")
    assert "You have no lists yet" in text_of(browser_of(alice), "/@alice/lists/")


def test_a_block_hides_the_lists_of_both(alice: User, carol: User, tea: List) -> None:
    create_list(owner=carol, name="Coffee")
    block(blocker=alice, blocked=carol)
    assert browser_of(carol).get("/@alice/lists/").status_code == 404
    assert "Coffee" not in text_of(browser_of(alice), "/@carol/lists/")


def test_somebody_is_sorted_into_lists_and_out_again(
    alice: User, carol: User, tea: List, secret: List
) -> None:
    browser, address = browser_of(alice), "/@carol/add_to_list/"
    assert 'href="/@carol/add_to_list/"' in text_of(browser, "/@carol/")
    answer = browser.post(address, {"lists": [tea.pk, secret.pk]})
    assert answer["Location"] == "/@carol/"
    assert lists_with(carol) == {"Tea party", "Hush"}
    assert text_of(browser, address).count("checked") == 2
    browser.post(address, {"lists": [secret.pk]})
    assert lists_with(carol) == {"Hush"}
    browser.post(address, {"lists": [secret.pk]})
    browser.post(address, {})
    assert lists_with(carol) == set()
    carol.refresh_from_db()
    assert carol.listed_count == 0


def test_a_list_is_made_on_the_spot(alice: User, carol: User) -> None:
    browser = browser_of(alice)
    assert "New list" in text_of(browser, "/@carol/add_to_list/")
    browser.post("/@carol/add_to_list/", {"name": " Friends ", "is_private": "on"})
    made = List.objects.get()
    assert (made.name, made.is_private, made.owner) == ("Friends", True, alice)
    assert lists_with(carol) == {"Friends"}


def test_a_name_that_is_taken_changes_nothing(alice: User, carol: User, tea: List) -> None:
    answer = browser_of(alice).post(
        "/@carol/add_to_list/", {"name": "tea PARTY", "lists": [tea.pk]}
    )
    assert answer.status_code == 400
    assert "You have a list of this name already." in answer.content.decode()
    assert lists_with(carol) == set()


def test_nobody_sorts_into_lists_of_others(alice: User, carol: User, tea: List) -> None:
    browser_of(carol).post("/@alice/add_to_list/", {"lists": [tea.pk]})
    assert lists_with(alice) == set()
    other = create_list(owner=carol, name="Coffee")
    answer = browser_of(carol).post("/@alice/add_to_list/", {"lists": [other.pk, tea.pk]})
    assert answer.status_code == 400
    assert lists_with(alice) == set()


def test_whom_one_blocked_cannot_be_listed(alice: User, carol: User, tea: List) -> None:
    block(blocker=alice, blocked=carol)
    answer = browser_of(alice).post("/@carol/add_to_list/", {"lists": [tea.pk]})
    assert answer.status_code == 400
    assert "Unblock them" in answer.content.decode()
    assert browser_of(carol).get("/@alice/add_to_list/").status_code == 404


def test_visitors_log_in_first(alice: User, client: Client) -> None:
    answer = client.get("/@alice/add_to_list/")
    assert answer["Location"] == "/login/?next=/%40alice/add_to_list/"


def test_a_double_click_adds_once(alice: User, carol: User, tea: List) -> None:
    browsers = [browser_of(alice) for _ in range(3)]
    codes = clicks(browsers, "/@carol/add_to_list/", {"lists": str(tea.pk)})
    assert codes == [302, 302, 302]
    assert tea.members.count() == 1


def test_members_are_found_by_name(alice: User, carol: User, tea: List) -> None:
    make_user("dodgson", name="Lewis Carroll")
    browser = browser_of(alice)
    assert f'action="/lists/{tea.pk}/members/find/"' in text_of(
        browser, f"/lists/{tea.pk}/members/"
    )
    page = text_of(browser, f"/lists/{tea.pk}/members/find/?q=carr")
    assert 'value="dodgson"' in page
    add_to_list(list_=tea, user=carol)
    page = text_of(browser, f"/lists/{tea.pk}/members/find/?q=carol")
    assert "In the list" in page
    assert 'value="carol"' not in page.partition("</section>")[2]
    assert "Nobody found" in text_of(browser, f"/lists/{tea.pk}/members/find/?q=zzz")
    assert "Who are you looking for?" in text_of(browser, f"/lists/{tea.pk}/members/find/")


def test_only_the_owner_looks_for_members(carol: User, tea: List, secret: List) -> None:
    browser = browser_of(carol)
    assert browser.get(f"/lists/{tea.pk}/members/find/?q=a").status_code == 403
    assert browser.get(f"/lists/{secret.pk}/members/find/?q=a").status_code == 404
    assert Client().get(f"/lists/{tea.pk}/members/find/?q=a").status_code == 302
