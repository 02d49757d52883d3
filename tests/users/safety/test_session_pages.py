"""The page of devices: what it shows, and what it ends."""

import pytest
from django.conf import settings as site
from django.test import Client

from tests.users.conftest import PASSWORD
from users.login.session_rows import session_digest
from users.models import Session, User

pytestmark = pytest.mark.django_db(transaction=True)

PAGE = "/settings/sessions/"
SAFARI = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) Version/18.1 Mobile Safari/604.1"
EDGE = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0"


def logged_in(agent: str = "", *, address: str = "192.0.2.1", username: str = "alice") -> Client:
    browser = Client(headers={"user-agent": agent}, REMOTE_ADDR=address)
    answer = browser.post("/login/", {"username": username, "password": PASSWORD})
    assert answer.status_code == 302
    return browser


def is_logged_in(browser: Client) -> bool:
    return browser.get(PAGE).status_code == 200


def row_of(browser: Client) -> Session:
    key = browser.cookies[site.SESSION_COOKIE_NAME].value
    return Session.objects.get(digest=session_digest(key))


def test_it_shows_every_device_and_marks_this_one(alice: User, carol: User) -> None:
    phone, laptop = logged_in(SAFARI, address="192.0.2.1"), logged_in(EDGE, address="192.0.2.2")
    logged_in("curl/8.0", username="carol")
    page = phone.get(PAGE).content.decode()
    assert "curl" not in page, "of others there is nothing"
    phones, laptops = page.index("Safari on iPhone"), page.index("Edge on Windows")
    assert page.count("this device") == 1
    assert min(phones, laptops) < page.index("this device")
    assert page[phones : phones + 80].count("this device") == 1
    assert "192.0.2.1" in page
    assert "192.0.2.2" in page
    assert laptop.get(PAGE).content.decode().count("this device") == 1


def test_the_only_device_is_told_so(alice: User) -> None:
    page = logged_in().get(PAGE).content.decode()
    assert "You are logged in nowhere else." in page
    assert "Unknown device" in page
    assert "Log out all other devices" not in page


def test_one_device_is_logged_out_by_another(alice: User) -> None:
    phone, laptop = logged_in(SAFARI), logged_in(EDGE)
    answer = phone.post(f"{PAGE}{row_of(laptop).pk}/end/", follow=True)
    assert "Edge on Windows is logged out." in answer.content.decode()
    assert not is_logged_in(laptop)
    assert is_logged_in(phone)


def test_doing_it_twice_is_not_found(alice: User) -> None:
    phone, laptop = logged_in(), logged_in()
    address = f"{PAGE}{row_of(laptop).pk}/end/"
    assert [phone.post(address).status_code for _ in range(2)] == [302, 404]


def test_ending_this_one_is_a_log_out(alice: User) -> None:
    phone = logged_in()
    assert phone.post(f"{PAGE}{row_of(phone).pk}/end/")["Location"] == "/"
    assert not is_logged_in(phone)
    assert not Session.objects.filter(user=alice).exists()


def test_all_others_are_logged_out(alice: User, carol: User) -> None:
    here, *others = (logged_in() for _ in range(4))
    hers = logged_in(username="carol")
    answer = here.post(f"{PAGE}end-others/", follow=True)
    assert "Logged out: 3 other devices." in answer.content.decode()
    assert is_logged_in(here)
    assert is_logged_in(hers)
    assert not any(map(is_logged_in, others))


def test_nobody_ends_the_session_of_another(alice: User, carol: User) -> None:
    mine, hers = logged_in(), logged_in(username="carol")
    for number in (row_of(hers).pk, 10**15):
        assert mine.post(f"{PAGE}{number}/end/").status_code == 404
    assert is_logged_in(hers)


@pytest.mark.parametrize("address", ["1/end/", "end-others/", "notices/"])
def test_a_link_ends_nothing(alice: User, address: str) -> None:
    phone, laptop = logged_in(), logged_in()
    assert phone.get(f"{PAGE}{address}").status_code == 405
    assert is_logged_in(laptop)


def test_a_form_from_elsewhere_ends_nothing(alice: User) -> None:
    laptop = logged_in()
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = logged_in().cookies
    assert strict.post(f"{PAGE}end-others/").status_code == 403
    assert is_logged_in(laptop)


def test_a_new_password_ends_all_others(alice: User) -> None:
    here, other = logged_in(), logged_in()
    new = "eight blue bottles"
    form = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    old_key = here.cookies[site.SESSION_COOKIE_NAME].value
    assert here.post("/settings/password/", form).status_code == 302
    assert is_logged_in(here)
    assert not is_logged_in(other)
    assert Session.objects.filter(user=alice).get() == row_of(here)
    assert here.cookies[site.SESSION_COOKIE_NAME].value != old_key


def test_logging_out_removes_the_row(alice: User) -> None:
    here, other = logged_in(), logged_in()
    here.post("/logout/")
    assert Session.objects.filter(user=alice).get() == row_of(other)


def test_mails_about_log_ins_can_be_switched_off_and_on(alice: User) -> None:
    here = logged_in()
    assert " checked" in here.get(PAGE).content.decode()
    assert here.post(f"{PAGE}notices/", {})["Location"] == PAGE
    alice.refresh_from_db()
    assert alice.login_notices is False
    assert " checked" not in here.get(PAGE).content.decode()
    here.post(f"{PAGE}notices/", {"login_notices": "on"})
    alice.refresh_from_db()
    assert alice.login_notices is True
