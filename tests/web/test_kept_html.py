"""What a process keeps of its pages never shows another reader's data, nor anything old."""

import re

import pytest
from django.test import Client

from tests.cast import browser_of
from users.models import User
from web.kept_html import HOLE, render_pieces

pytestmark = pytest.mark.django_db


def tokens(page: str) -> list[str]:
    return re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page)


def test_pieces_stand_around_the_holes() -> None:
    context = {"here": "", "places": [(HOLE, "<Home>")], "account": [], "csrf_token": HOLE}
    before, between, end = render_pieces("_navigation.html", context)
    assert before.endswith('<a href="')
    assert between.startswith('">&lt;Home&gt;</a>')
    assert end.endswith("</nav>")


def test_everybody_sees_their_own_links(alice: User, bob: User) -> None:
    for reader in (alice, bob, alice):
        page = browser_of(reader).get("/").content.decode()
        assert re.findall(r'href="(/@\w+/)"', page) == [f"/@{reader.username}/"]


def test_staff_sees_the_way_to_the_admin_from_the_day_on(alice: User) -> None:
    browser = browser_of(alice)
    assert b"Admin</a>" not in browser.get("/").content
    User.objects.filter(pk=alice.pk).update(is_staff=True)
    assert b"Admin</a>" in browser.get("/").content


def test_a_new_name_leads_to_the_new_profile(alice: User) -> None:
    browser = browser_of(alice)
    assert b'href="/@alice/"' in browser.get("/").content
    User.objects.filter(pk=alice.pk).update(username="alicia")
    assert b'href="/@alicia/"' in browser.get("/").content


@pytest.mark.parametrize("address", ["/", "/explore/", "/lists/", "/@alice/", "/settings/"])
def test_only_the_link_to_this_page_is_marked(alice: User, address: str) -> None:
    page = browser_of(alice).get(address).content.decode()
    header = page[: page.index("</header>")]
    assert re.findall(r'<a href="([^"]+)" aria-current="page">', header) == [address]


def test_visitors_see_where_they_are() -> None:
    assert b'href="/explore/" aria-current="page"' in Client().get("/explore/").content
    assert b"aria-current" not in Client().get("/").content


def test_every_page_carries_tokens_of_its_reader(alice: User, bob: User) -> None:
    """Log-out and post forms are kept, but not their tokens: each is valid for its own reader."""
    for reader in (alice, bob):
        browser = Client(enforce_csrf_checks=True)
        browser.force_login(reader)
        log_out, post, *_act = tokens(browser.get("/").content.decode())
        fields = {"text": "hello", "csrfmiddlewaretoken": post}
        assert browser.post("/statuses/", fields).status_code == 302
        assert browser.post("/logout/", {"csrfmiddlewaretoken": log_out}).status_code == 302
    assert set(tokens(browser_of(alice).get("/").content.decode())).isdisjoint({log_out, post})
