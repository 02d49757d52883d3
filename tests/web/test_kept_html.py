"""What a process keeps of its pages never shows another reader's data, nor anything old."""

import re

import pytest
from django.test import Client
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString

from relations.services import follow
from statuses.reactions.services import like, unlike
from statuses.selectors import show
from statuses.services import post_status
from tests.cast import browser_of
from users.models import User
from web.pages.kept_html import fill_template, holes, render_kept

pytestmark = pytest.mark.django_db


def tokens(page: str) -> list[str]:
    return re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page)


def test_holes_are_filled_where_the_template_has_them() -> None:
    varying = holes("name", "csrf_token")
    kept = render_kept("_account_menu.html", {"username": "al", "is_wide": True} | varying)
    for token in ("one", "two"):
        html = kept.filled({"csrf_token": token, "name": "&lt;Al&gt;", "unread": "not asked for"})
        assert '<bdi class="person-name">&lt;Al&gt;</bdi>' in html
        assert tokens(html) == [token]
        assert "not asked for" not in html


def test_values_are_escaped_unless_they_are_html() -> None:
    for older in ('/?a="1"', SafeString("/?b=&quot;")):
        html = fill_template("_pagination.html", {"older": older, "newer": ""})
        assert f'href="{conditional_escape(older)}" rel="next"' in html
        assert "Newer" not in html
    assert fill_template("_pagination.html", {"older": "", "newer": ""}) == ""


def test_a_page_has_messages_once(alice: User, bob: User) -> None:
    first, second = (post_status(author=alice, text=text) for text in ("one", "two"))
    browser = browser_of(alice)
    message = b'<li class="notice success">The post is deleted.'
    browser.get("/")
    browser.post(f"/statuses/{second.pk}/delete/", {"next": "/"})
    assert [browser.get("/").content.count(message) for _ in range(2)] == [1, 0]
    assert message not in browser_of(bob).get("/").content
    browser.post(f"/statuses/{first.pk}/delete/", {"next": "/"})
    assert message in browser.get("/").content  # an empty home


def test_readers_see_their_own_likes_and_actions(alice: User, bob: User, carol: User) -> None:
    """The kept article of one reader is never another's, in whatever order they come."""
    status = post_status(author=alice, text="hello")
    [shown] = show([status.pk], viewer=alice).statuses
    like(user=bob, status=shown.status)
    follow(follower=carol, followee=alice)
    for reader in (alice, bob, carol, bob, alice):
        page = browser_of(reader).get("/").content.decode()
        assert (f"/statuses/{status.pk}/unlike/" in page) == (reader == bob)
        menu = browser_of(reader).get(f"/@alice/{status.pk}/menu/").content.decode()
        assert (f"/statuses/{status.pk}/delete/" in menu) == (reader == alice)
        assert (f"/statuses/{status.pk}/edit/" in menu) == (reader == alice)
    unlike(user=bob, status_id=status.pk)
    assert "/unlike/" not in browser_of(bob).get("/").content.decode()


def test_everybody_sees_their_own_links(alice: User, bob: User) -> None:
    for reader in (alice, bob, alice):
        page = browser_of(reader).get("/").content.decode()
        assert set(re.findall(r'href="(/@\w+/)"', page)) == {f"/@{reader.username}/"}


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
    navigation = page[: page.index("</nav>")]
    assert re.findall(r'href="([^"]+)" aria-current="page">', navigation) == [address]


def test_visitors_see_where_they_are() -> None:
    assert b'href="/explore/" aria-current="page"' in Client().get("/explore/").content
    assert b"aria-current" not in Client().get("/").content


def test_every_page_carries_tokens_of_its_reader(alice: User, bob: User) -> None:
    """Log-out and post forms are kept, but not their tokens: each is valid for its own reader."""
    for reader in (alice, bob):
        browser = Client(enforce_csrf_checks=True)
        browser.force_login(reader)
        log_out, _log_out_on_phones, post, *_act = tokens(browser.get("/").content.decode())
        fields = {"text": "hello", "csrfmiddlewaretoken": post}
        assert browser.post("/statuses/", fields).status_code == 302
        assert browser.post("/logout/", {"csrfmiddlewaretoken": log_out}).status_code == 302
    assert set(tokens(browser_of(alice).get("/").content.decode())).isdisjoint({log_out, post})
