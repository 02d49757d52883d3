"""Back after deleting, through the pages."""

import pytest
from django.test import Client

from statuses.models import Status
from statuses.removing.just_deleted import MOST
from statuses.services import delete_status, post_status
from tests.cast import browser_of
from users.models import User


@pytest.fixture
def hers(alice: User) -> Client:
    return browser_of(alice)


def pages_of(status_id: int) -> list[str]:
    page = f"/@alice/{status_id}/"
    return [
        *(page, f"{page}menu/", f"{page}history/", f"{page}likes/", f"{page}boosts/"),
        *(f"/statuses/{status_id}/delete/", f"/statuses/{status_id}/edit/"),
    ]


def deleted(browser: Client, status: Status, **fields: str) -> None:
    assert browser.post(f"/statuses/{status.pk}/delete/", fields).status_code == 302


def test_the_pages_of_a_post_lead_to_where_its_deletion_led(alice: User, hers: Client) -> None:
    status = post_status(author=alice, text="Oops.")
    deleted(hers, status, next="/explore/")
    for address in pages_of(status.pk):
        assert hers.get(address).headers.get("Location") == "/explore/", address


def test_others_and_other_browsers_find_nothing(
    alice: User, bob: User, hers: Client, client: Client
) -> None:
    status = post_status(author=alice, text="Oops.")
    deleted(hers, status)
    for browser in (client, browser_of(bob), browser_of(alice)):
        assert browser.get(f"/@alice/{status.pk}/").status_code == 404


def test_what_is_sent_there_is_still_a_404(alice: User, hers: Client) -> None:
    status = post_status(author=alice, text="Oops.")
    deleted(hers, status)
    assert hers.post(f"/statuses/{status.pk}/delete/").status_code == 404
    assert hers.post(f"/statuses/{status.pk}/edit/", {"text": "x"}).status_code == 404
    script = {"HX-Request": "true"}
    assert hers.post(f"/statuses/{status.pk}/delete/", headers=script).status_code == 200
    assert hers.get(f"/@alice/{status.pk}/menu/", headers=script).status_code == 404


def test_two_that_lead_to_each_other_lead_home(alice: User, hers: Client) -> None:
    one, two = (post_status(author=alice, text=text) for text in ("one", "two"))
    deleted(hers, one, next=f"/@alice/{two.pk}/")
    assert hers.get(f"/@alice/{one.pk}/")["Location"] == f"/@alice/{two.pk}/"
    deleted(hers, two, next=f"/@alice/{one.pk}/")
    for status in (one, two):
        assert hers.get(f"/@alice/{status.pk}/")["Location"] == "/"


def test_a_post_that_was_deleted_elsewhere_or_long_ago_is_a_404(alice: User, hers: Client) -> None:
    elsewhere = post_status(author=alice, text="elsewhere")
    delete_status(status=elsewhere, by=alice)
    assert hers.get(f"/@alice/{elsewhere.pk}/").status_code == 404
    first = post_status(author=alice, text="first")
    deleted(hers, first)
    for number in range(MOST):
        deleted(hers, post_status(author=alice, text=f"{number}"))
    assert hers.get(f"/@alice/{first.pk}/").status_code == 404
