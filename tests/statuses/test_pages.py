"""Reading one status, and deleting it, through the pages."""

import pytest
from django.contrib.auth.models import Permission
from django.test import Client, RequestFactory

from statuses.html.page import page_html
from statuses.models import Status
from statuses.reading.shown import Entry, Placeholder, StatusPage
from statuses.selectors import show
from statuses.services import post_status
from tests.cast import browser_of, clicks
from users.models import User


@pytest.fixture
def moderator(carol: User) -> User:
    User.objects.filter(pk=carol.pk).update(is_staff=True)
    carol.user_permissions.add(Permission.objects.get(codename="delete_status"))
    return carol


def test_a_status_has_a_page(client: Client, alice: User) -> None:
    status = post_status(author=alice, text="tea & cake, anyone?")
    page = client.get(f"/@alice/{status.pk}/").content.decode()
    assert "Alice Liddell (@alice): tea &amp; cake, anyone? · Socialsite</title>" in page
    assert '<meta property="og:title" content="Alice Liddell (@alice)">' in page
    assert '<meta property="og:description" content="tea &amp; cake, anyone?">' in page
    assert f'<time datetime="{status.created_at.isoformat(timespec="seconds")[:16]}' in page


def test_a_page_can_have_entries_that_are_no_statuses(rf: RequestFactory, alice: User) -> None:
    status = post_status(author=alice, text="hello")
    entries: list[Entry] = [Placeholder("gap", 5), *show([status.pk], viewer=None).statuses]
    entries.append(Placeholder("deeper", status.pk, "alice"))
    html = page_html(rf.get("/"), StatusPage(entries, is_first=True), token="")
    gap, text, way = (html.index(it) for it in ("was deleted", "hello", "Continue this thread"))
    assert gap < text < way
    assert f'href="/@alice/{status.pk}/#replies"' in html


def test_nothing_that_people_write_becomes_markup(client: Client, alice: User) -> None:
    attack = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
    User.objects.filter(pk=alice.pk).update(name=attack[:50], bio=attack)
    status = post_status(author=alice, text=f"{attack} https://example.com/{attack} @alice")
    for address in (f"/@alice/{status.pk}/", "/@alice/", "/explore/"):
        page = client.get(address).content.decode()
        assert "&lt;script&gt;" in page
        assert "<script>" not in page
        assert "<img src=x" not in page


@pytest.mark.parametrize("status_id", ["1", "9" * 16, "9" * 17, "0", "-1", "1e3"])
def test_a_status_that_is_not_there_is_a_404(client: Client, alice: User, status_id: str) -> None:
    assert client.get(f"/@alice/{status_id}/").status_code == 404
    assert browser_of(alice).get(f"/statuses/{status_id}/delete/").status_code == 404


def test_a_status_is_at_home_under_its_author_only(
    client: Client, alice: User, carol: User
) -> None:
    status = post_status(author=alice, text="hello")
    assert client.get(f"/@carol/{status.pk}/").status_code == 404
    assert client.get(f"/@nobody_/{status.pk}/").status_code == 404
    answer = client.get(f"/@ALICE/{status.pk}/?from=mail")
    assert answer.status_code == 301
    assert answer["Location"] == f"/@alice/{status.pk}/?from=mail"


def test_the_status_of_a_suspended_author_is_not_there(client: Client, alice: User) -> None:
    status = post_status(author=alice, text="hello")
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert client.get(f"/@alice/{status.pk}/").status_code == 404


def test_deleting_asks_first_and_then_goes_back(alice: User) -> None:
    status = post_status(author=alice, text="oops")
    browser = browser_of(alice)
    address = f"/statuses/{status.pk}/delete/?next=/%3Fmax_id%3D5"
    assert f'href="/@alice/{status.pk}/menu/"' in browser.get("/").content.decode()
    menu = browser.get(f"/@alice/{status.pk}/menu/?next=/%3Fmax_id%3D5").content.decode()
    assert f'href="/statuses/{status.pk}/delete/?next=%2F%3Fmax_id%3D5"' in menu
    page = browser.get(address).content.decode()
    assert "Delete this post?" in page
    assert "oops" in page
    assert Status.objects.exists()
    answer = browser.post(address)
    assert (answer.status_code, answer["Location"]) == (302, "/?max_id=5")
    assert not Status.objects.exists()
    assert "oops" not in browser.get("/").content.decode()
    assert browser.post(address).status_code == 404


def test_from_its_own_page_one_goes_to_the_profile(alice: User) -> None:
    status = post_status(author=alice, text="oops")
    browser = browser_of(alice)
    page = browser.get(f"/@alice/{status.pk}/menu/").content.decode()
    assert f'href="/statuses/{status.pk}/delete/"' in page
    assert browser.post(f"/statuses/{status.pk}/delete/")["Location"] == "/@alice/"


def test_two_simultaneous_deletions_both_end_well(alice: User) -> None:
    status = post_status(author=alice, text="oops")
    browsers = [browser_of(alice) for _ in range(4)]
    codes = clicks(browsers, f"/statuses/{status.pk}/delete/")
    assert set(codes) <= {302, 404}
    assert 302 in codes
    alice.refresh_from_db()
    assert alice.statuses_count == 0


def test_strangers_and_visitors_delete_nothing(client: Client, alice: User, carol: User) -> None:
    status = post_status(author=alice, text="mine")
    address = f"/statuses/{status.pk}/delete/"
    browser = browser_of(carol)
    for ask in (browser.get, browser.post):
        answer = ask(address)
        assert answer.status_code == 403
        assert "Only its author or a moderator" in answer.content.decode()
    assert client.post(address)["Location"] == f"/login/?next={address}"
    assert "Delete" not in browser.get(f"/@alice/{status.pk}/menu/").content.decode()
    assert Status.objects.exists()


def test_moderators_delete_what_others_said(alice: User, moderator: User) -> None:
    status = post_status(author=alice, text="something bad")
    browser = browser_of(moderator)
    assert "Delete" in browser.get(f"/@alice/{status.pk}/menu/").content.decode()
    assert browser.post(f"/statuses/{status.pk}/delete/").status_code == 302
    assert not Status.objects.exists()


def test_the_pages_of_a_status_refuse_other_methods(alice: User) -> None:
    status = post_status(author=alice, text="hello")
    browser = browser_of(alice)
    assert browser.post(f"/@alice/{status.pk}/").status_code == 405
    assert browser.put(f"/statuses/{status.pk}/delete/").status_code == 405


def test_forms_without_their_token_do_nothing(alice: User) -> None:
    status = post_status(author=alice, text="hello")
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(alice)
    for address in ("/statuses/", f"/statuses/{status.pk}/delete/"):
        assert browser.post(address, {"text": "forged"}).status_code == 403
    assert Status.objects.get().text == "hello"
