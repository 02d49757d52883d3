import re

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from tests.users.conftest import PASSWORD, Committing
from users import store
from users.models import User

pytestmark = pytest.mark.django_db

NEW_PASSWORD = "eight blue bottles"


def test_the_profile_can_be_changed(
    alices_browser: Client, alice: User, committing: Committing
) -> None:
    with committing():
        answer = alices_browser.post("/settings/profile/", {"name": " Al ", "bio": "one\r\ntwo"})
    assert (answer.status_code, answer["Location"]) == (302, "/settings/profile/")
    alice.refresh_from_db()
    assert (alice.name, alice.bio) == ("Al", "one\ntwo")
    assert store.read_users([alice.pk])[alice.pk].name == "Al"
    assert "Your profile is saved." in alices_browser.get("/settings/").content.decode()


def test_a_new_line_in_the_bio_counts_as_one_character(alices_browser: Client) -> None:
    assert (
        alices_browser.post("/settings/profile/", {"bio": "\r\n".join("a" * 150)}).status_code
        == 302
    )
    assert alices_browser.post("/settings/profile/", {"bio": "a" * 301}).status_code == 400


def test_a_profile_that_is_refused_stays_as_it_was(alices_browser: Client, alice: User) -> None:
    answer = alices_browser.post("/settings/profile/", {"name": "a" * 51, "bio": "new"})
    assert answer.status_code == 400
    assert "name" in answer.context["form"].errors
    alice.refresh_from_db()
    assert (alice.name, alice.bio) == ("Alice Liddell", "")


def test_the_settings_change_nothing_but_the_profile(alices_browser: Client, alice: User) -> None:
    alices_browser.post("/settings/profile/", {"name": "Al", "username": "boss", "is_staff": "on"})
    alice.refresh_from_db()
    assert (alice.username, alice.is_staff) == ("alice", False)


def change_password(browser: Client, old: str, new: str = NEW_PASSWORD) -> int:
    form = {"old_password": old, "new_password1": new, "new_password2": new}
    return browser.post("/settings/password/", form).status_code


def test_a_password_change_keeps_this_device_and_logs_out_the_others(
    alices_browser: Client, alice: User
) -> None:
    other = Client()
    other.force_login(alice)
    assert change_password(alices_browser, PASSWORD) == 302
    alice.refresh_from_db()
    assert alice.check_password(NEW_PASSWORD)
    assert alices_browser.get("/settings/").status_code == 200
    assert other.get("/settings/").status_code == 302


def test_a_password_change_needs_the_old_one_and_a_good_new_one(
    alices_browser: Client, alice: User
) -> None:
    assert change_password(alices_browser, "wrong") == 400
    assert change_password(alices_browser, PASSWORD, "alice") == 400
    alice.refresh_from_db()
    assert alice.check_password(PASSWORD)


def test_an_open_session_does_not_let_one_guess_the_password(
    alices_browser: Client, alice: User
) -> None:
    for _ in range(5):
        assert change_password(alices_browser, "wrong") == 400
        assert alices_browser.post("/settings/delete/", {"password": "wrong"}).status_code == 400
    assert change_password(alices_browser, PASSWORD) == 429
    assert alices_browser.post("/settings/delete/", {"password": PASSWORD}).status_code == 429
    # … but the owner can still log in elsewhere.
    login = Client().post("/login/", {"username": "alice", "password": PASSWORD})
    assert login.status_code == 302


def test_deleting_the_account_needs_the_password(alices_browser: Client, alice: User) -> None:
    answer = alices_browser.post("/settings/delete/", {"password": "wrong"})
    assert answer.status_code == 400
    assert answer.context["form"].errors == {"password": ["This is not your password."]}
    assert alices_browser.post("/settings/delete/", {}).status_code == 400
    assert alices_browser.get("/settings/delete/").status_code == 200
    assert User.objects.get() == alice


def test_without_a_grace_the_account_is_deleted_at_once_and_logged_out_everywhere(
    alices_browser: Client, alice: User, committing: Committing, settings: Settings
) -> None:
    settings.DELETION_GRACE_DAYS = 0
    store.refresh_users([alice.pk])
    other = Client()
    other.force_login(alice)
    with committing():
        answer = alices_browser.post("/settings/delete/", {"password": PASSWORD}, follow=True)
    assert "Your account is deleted" in answer.content.decode()
    assert not User.objects.exists()
    assert store.read_users([alice.pk]) == {}
    assert "_auth_user_id" not in alices_browser.session
    for browser in (alices_browser, other):
        assert browser.get("/settings/").status_code == 302


PAGES = {
    "/settings/profile/": "Edit profile",
    "/settings/email/": "E-mail",
    "/settings/password/": "Password",
    "/settings/two-factor/": "Two-factor log-in",
    "/settings/sessions/": "Devices",
    "/settings/privacy/": "Who sees your posts",
    "/follow_requests/": "Follow requests",
    "/settings/muted/": "Muted accounts",
    "/settings/words/": "Muted words",
    "/settings/blocked/": "Blocked accounts",
    "/settings/appearance/": "Appearance and language",
    "/settings/notifications/": "Notifications",
    "/settings/tokens/": "Access tokens",
    "/settings/export/": "Export",
    "/settings/delete/": "Delete account",
}
PRIVATE = ["/settings/", *PAGES, "/settings/two-factor/off/", "/settings/export/download/"]
ONLY_READ = ["/follow_requests/", "/settings/muted/", "/settings/blocked/"]


@pytest.mark.parametrize("there", PAGES)
def test_the_settings_lead_to_each_other(alices_browser: Client, there: str) -> None:
    index = alices_browser.get("/settings/").content.decode()
    row = re.search(rf'<a class="row[^"]*" href="{there}">(.*?)</a>', index, re.DOTALL)
    assert row
    assert PAGES[there] in row[1]
    page = alices_browser.get(there).content.decode()
    assert '<a class="icon-button" href="/settings/" aria-label="Back">' in page


def test_the_settings_say_how_things_are(alices_browser: Client, alice: User) -> None:
    def values() -> list[str]:
        page = alices_browser.get("/settings/").content.decode()
        return re.findall(r'<span class="row-value">([^<]*)</span>', page)

    assert values() == ["Edit profile", "Not confirmed yet", "Off", "1", "Public"]
    User.objects.filter(pk=alice.pk).update(email_confirmed_at=timezone.now(), is_private=True)
    assert values() == ["Edit profile", alice.email, "Off", "1", "Private"]


def test_the_settings_let_people_log_out(alices_browser: Client) -> None:
    assert '<form method="post" action="/logout/">' in alices_browser.get("/settings/").text
    assert alices_browser.post("/logout/").status_code == 302
    assert alices_browser.get("/settings/").status_code == 302


@pytest.mark.parametrize("page", PRIVATE)
def test_visitors_log_in_first(client: Client, page: str) -> None:
    assert client.get(page)["Location"] == f"/login/?next={page}"


@pytest.mark.parametrize("page", [it for it in PRIVATE if it not in ONLY_READ])
def test_visitors_log_in_before_they_change_anything(client: Client, page: str) -> None:
    answer = client.post(page, {"password": PASSWORD})
    assert answer["Location"] == f"/login/?next={page}"


@pytest.mark.parametrize("page", ONLY_READ)
def test_nothing_is_posted_to_pages_that_are_only_read(client: Client, page: str) -> None:
    assert client.post(page, {"password": PASSWORD}).status_code == 405


def test_a_notice_is_a_status_around_a_list(alices_browser: Client) -> None:
    """To a screen reader, a list with another role is no list."""
    page = alices_browser.post("/settings/profile/", {"name": "Al"}, follow=True).content.decode()
    assert '<div role="status">' in page
    assert '<ul class="notices">' in page
