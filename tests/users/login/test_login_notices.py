"""A mail tells the owner of an account about a device that has not logged in before."""

import pytest
from django.core import mail
from django.test import Client

from taskqueue.drain import drain
from taskqueue.models import OutboxEntry
from tests.users.conftest import PASSWORD
from users.models import User
from users.services import confirm_email

pytestmark = pytest.mark.django_db

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


@pytest.fixture
def alice(alice: User) -> User:
    confirm_email(user=alice)
    return alice


def log_in(browser: Client, password: str = PASSWORD) -> int:
    form = {"username": "alice", "password": password}
    return browser.post("/login/", form, REMOTE_ADDR="192.0.2.7").status_code


def mails() -> list[str]:
    drain()
    return [str(message.body) for message in mail.outbox]


def test_a_new_device_is_told_and_a_known_one_is_not(alice: User) -> None:
    browser = Client(headers={"user-agent": FIREFOX})
    assert log_in(browser) == 302
    (body,) = mails()
    assert mail.outbox[0].to == [alice.email]
    assert "Firefox on Linux, from 192.0.2.7, on " in body
    assert "/settings/sessions/" in body
    browser.post("/logout/")
    assert log_in(browser) == 302
    assert len(mails()) == 1


def test_a_device_of_another_account_is_new(alice: User, carol: User) -> None:
    browser = Client()
    browser.post("/login/", {"username": "carol", "password": PASSWORD})
    browser.post("/logout/")
    log_in(browser)
    assert len(mails()) == 1


def test_a_new_password_makes_devices_new_again(alice: User) -> None:
    browser = Client()
    log_in(browser)
    alice.set_password("eight blue bottles")
    alice.save()
    browser.post("/logout/")
    log_in(browser, "eight blue bottles")
    assert len(mails()) == 2


def test_a_failed_log_in_is_not_told(alice: User) -> None:
    assert log_in(Client(), "wrong") == 400
    assert mails() == []


def test_who_switched_it_off_gets_none(alice: User) -> None:
    User.objects.update(login_notices=False)
    log_in(Client())
    assert mails() == []


def test_a_stranger_whose_address_somebody_gave_gets_none(alice: User) -> None:
    User.objects.update(email_confirmed_at=None)
    log_in(Client())
    assert mails() == []


def test_a_sign_up_is_not_told(db: None) -> None:
    form = {"username": "dora", "email": "dora@example.com", "password": PASSWORD}
    Client().post("/signup/", form)
    assert ["new log-in" in message.subject for message in mail.outbox] == []
    assert all("Confirm" in body for body in mails())


def test_an_account_that_went_meanwhile_needs_no_mail(alice: User) -> None:
    log_in(Client())
    User.objects.all().delete()
    assert mails() == []


def test_nothing_that_is_kept_shows_where_somebody_logged_in(alice: User) -> None:
    """Neither the outbox in SQL nor the queue in Redis, whether the task is done or failed."""
    log_in(Client(headers={"user-agent": FIREFOX}))
    bodies = [entry.body for entry in OutboxEntry.objects.all()]
    assert [body for body in bodies if "mail_login_notice" in body]
    assert not [body for body in bodies if "192.0.2.7" in body or "Firefox" in body]
