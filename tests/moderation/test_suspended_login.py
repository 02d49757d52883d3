"""Suspended members who give the right password read that, why, and whom to write to."""

from typing import cast

import pytest
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from moderation.models import Kind, Measure
from moderation.services import take
from tests.moderation.conftest import complain
from users import services as users
from users.models import User

PASSWORD = "seven green bottles"
WHY = "You sold pills.\nPlease don't."


@pytest.fixture
def dave(dave: User) -> User:
    dave.set_password(PASSWORD)
    dave.save()
    return dave


def log_in(username: str = "dave", password: str = PASSWORD) -> HttpResponse:
    form = {"username": username, "password": password}
    return cast("HttpResponse", Client().post("/login/", form, REMOTE_ADDR="192.0.2.1"))


def test_they_read_that_they_are_suspended_and_why(
    dave: User, alice: User, mod: User, settings: Settings
) -> None:
    settings.CONTACT_EMAIL = "team@example.com"
    report = complain(alice, dave, words="He is awful")
    take(Kind.SUSPEND, report, by=mod, reason=WHY)
    answer = log_in()
    page = answer.content.decode()
    assert answer.status_code == 403
    assert "@dave is suspended" in page
    assert "You sold pills.<br>Please don&#x27;t." in page
    assert 'href="mailto:team@example.com"' in page
    for secret in ("alice", "He is awful", "mod_ann"):
        assert secret not in page
    assert "sessionid" not in answer.cookies


def test_without_an_address_they_are_led_to_those_who_run_the_site(dave: User, mod: User) -> None:
    take(Kind.SUSPEND, dave, by=mod, reason=WHY)
    assert 'href="/about/"' in log_in().content.decode()


def test_nobody_else_learns_of_it(dave: User, mod: User) -> None:
    take(Kind.SUSPEND, dave, by=mod, reason=WHY)
    wrong, unknown = log_in(password="wrong"), log_in("nobody_here", "wrong")
    for answer in (wrong, unknown):
        assert answer.status_code == 400
        assert "do not match" in answer.content.decode()
        assert "suspended" not in answer.content.decode()


def test_the_right_password_of_a_suspended_account_counts_as_a_try(dave: User, mod: User) -> None:
    take(Kind.SUSPEND, dave, by=mod, reason=WHY)
    assert [log_in().status_code for _ in range(11)] == [403] * 10 + [429]


def test_reasons_that_were_not_for_them_stay_with_the_moderators(dave: User, mod: User) -> None:
    """As those that were written before members read them."""
    take(Kind.SILENCE, dave, by=mod, reason="reported by alice")
    first = take(Kind.SUSPEND, dave, by=mod, reason="the first time")
    assert "the first time" in log_in().content.decode()
    Measure.objects.filter(pk=first.pk).update(is_told=False)
    assert "the first time" not in log_in().content.decode()
    Measure.objects.filter(pk=first.pk).update(is_told=True)
    take(Kind.RESTORE, dave, by=mod, reason="we were wrong")
    users.suspend(user=dave)
    page = log_in().content.decode()
    assert "@dave is suspended" in page
    for words in ("the first time", "we were wrong", "reported by alice", "They say why"):
        assert words not in page


def test_who_is_restored_logs_in(dave: User, mod: User) -> None:
    take(Kind.SUSPEND, dave, by=mod, reason=WHY)
    take(Kind.RESTORE, dave, by=mod, reason="we were wrong")
    assert log_in().status_code == 302
