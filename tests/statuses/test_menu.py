"""What can be done with a status: a page of its own, and the same list for a script."""

import pytest
from django.test import Client

from relations.blocks_and_mutes.services import block, mute_thread
from statuses.services import post_status
from tests.cast import browser_of
from users.audience import Visibility
from users.models import User

pytestmark = pytest.mark.django_db


def test_a_script_gets_the_list_and_others_a_page(alice: User, bob: User) -> None:
    status = post_status(author=alice, text="hello")
    address = f"/@alice/{status.pk}/menu/"
    browser = browser_of(bob)
    page = browser.get(address).content.decode()
    fragment = browser.get(address, headers={"HX-Request": "true"}).content.decode()
    for html in (page, fragment):
        assert f'formaction="/statuses/{status.pk}/mute_thread/"' in html
        for action in ("mute", "block"):
            assert f'formaction="/@alice/{action}/"' in html
        assert f'href="/statuses/{status.pk}/report/"' in html
    assert '<form id="act"' in page
    assert "hello" in page
    assert fragment.strip().startswith('<ul class="menu-list">')
    assert "hello" not in fragment


def test_a_muted_conversation_can_be_heard_again(alice: User, bob: User) -> None:
    status = post_status(author=alice, text="hello")
    mute_thread(user=bob, thread=status.pk)
    menu = browser_of(bob).get(f"/@alice/{status.pk}/menu/").content.decode()
    assert f"/statuses/{status.pk}/unmute_thread/" in menu
    assert f"/statuses/{status.pk}/mute_thread/" not in menu


def test_visitors_can_copy_the_link_and_no_more(client: Client, alice: User) -> None:
    status = post_status(author=alice, text="hello")
    menu = client.get(f"/@alice/{status.pk}/menu/").content.decode()
    assert f'href="/@alice/{status.pk}/" data-copy' in menu
    assert "formaction" not in menu
    assert "/report/" not in menu


def test_who_may_not_see_a_status_gets_no_menu(
    client: Client, alice: User, bob: User, carol: User
) -> None:
    hidden = post_status(author=alice, text="psst", visibility=Visibility.FOLLOWERS)
    address = f"/@alice/{hidden.pk}/menu/"
    assert browser_of(bob).get(address).status_code == 200
    assert browser_of(carol).get(address).status_code == 404
    assert client.get(address).status_code == 404
    block(blocker=alice, blocked=bob)
    assert browser_of(bob).get(address).status_code == 404


@pytest.mark.parametrize("next_page", ["https://evil.example/", "//evil.example", "javascript:1"])
def test_nobody_is_led_to_another_site(alice: User, next_page: str) -> None:
    status = post_status(author=alice, text="hello")
    menu = browser_of(alice).get(f"/@alice/{status.pk}/menu/", {"next": next_page})
    assert "evil" not in menu.content.decode()
    assert "next=javascript" not in menu.content.decode()


def test_the_page_with_the_menu_is_the_one_to_return_to(alice: User) -> None:
    status = post_status(author=alice, text="hello")
    address = f"/@alice/{status.pk}/menu/"

    def menu(referrer: str) -> str:
        return browser_of(alice).get(address, headers={"Referer": referrer}).content.decode()

    edit = f'href="/statuses/{status.pk}/edit/'
    assert f'{edit}?next=%2Ftags%2Ftea%2F%3Fmax_id%3D5"' in menu(
        "http://testserver/tags/tea/?max_id=5"
    )
    for elsewhere in (
        "https://evil.example/",
        "",
        f"http://testserver/@alice/{status.pk}/?after=1",
    ):
        assert f'{edit}"' in menu(elsewhere)
