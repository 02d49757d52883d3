"""Logging in with an e-mail address, which gives away nothing about who has it."""

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from tests.users.conftest import PASSWORD
from users.models import User
from users.services import confirm_email, sign_up, suspend

pytestmark = pytest.mark.django_db

EMAIL = "alice@example.com"


@pytest.fixture
def alice(alice: User) -> User:
    confirm_email(user=alice)
    return alice


def log_in(typed: str, password: str = PASSWORD, *, address: str = "192.0.2.1") -> int:
    form = {"username": typed, "password": password}
    return Client().post("/login/", form, REMOTE_ADDR=address).status_code


@pytest.mark.parametrize("typed", [EMAIL, "ALICE@Example.COM", f" {EMAIL} "])
def test_a_confirmed_address_logs_in(alice: User, client: Client, typed: str) -> None:
    answer = client.post("/login/", {"username": typed, "password": PASSWORD})
    assert answer.status_code == 302
    assert client.session["_auth_user_id"] == str(alice.pk)


def test_an_unconfirmed_one_does_not(alice: User) -> None:
    User.objects.update(email_confirmed_at=None)
    assert log_in(EMAIL) == 400
    assert log_in("alice") == 302


def test_one_that_two_have_confirmed_does_not(alice: User) -> None:
    other = sign_up(username="other", email=EMAIL.upper(), password=PASSWORD)
    assert log_in(EMAIL) == 302, "anybody can sign up with it"
    confirm_email(user=other)
    assert log_in(EMAIL) == 400


def test_one_of_a_suspended_account_is_told_so(alice: User) -> None:
    suspend(user=alice)
    assert log_in(EMAIL) == 403


def test_a_suspended_account_does_not_stand_in_the_way(alice: User) -> None:
    other = sign_up(username="other", email=EMAIL, password=PASSWORD)
    confirm_email(user=other)
    suspend(user=other)
    assert log_in(EMAIL) == 302


@pytest.mark.parametrize(
    "typed", ["@", "a@", "@@alice", "alice@example.com\0", "x" * 240 + "@example.com", "a@b@c"]
)
def test_what_is_no_address_is_refused(alice: User, typed: str) -> None:
    assert log_in(typed) == 400


class CountingHasher(MD5PasswordHasher):
    encoded = 0

    def encode(self, password: str, salt: str) -> str:
        CountingHasher.encoded += 1
        return super().encode(password, salt)


def test_any_address_gets_the_same_answer_for_the_same_work(settings: Settings) -> None:
    settings.PASSWORD_HASHERS = [f"{__name__}.CountingHasher"]
    confirm_email(user=User.objects.create_user("alice", EMAIL, PASSWORD))

    def answer(typed: str) -> tuple[int, list[str], int, list[str]]:
        before = CountingHasher.encoded
        with CaptureQueriesContext(connection) as queries:
            page = Client().post("/login/", {"username": typed, "password": "wrong"})
        tables = [query["sql"].partition("WHERE")[0][:200] for query in queries]
        errors = page.context["form"].non_field_errors()
        return page.status_code, errors, CountingHasher.encoded - before, tables

    assert answer(EMAIL) == answer("stranger@example.com")
    assert answer(EMAIL)[2] == 1


def test_guesses_at_an_address_do_not_tell_whose_it_is(alice: User) -> None:
    """What is counted is what was typed: else the name would be locked along with its address."""
    for _ in range(11):
        log_in(EMAIL, "wrong")
    assert log_in(EMAIL) == 429
    assert log_in("alice", "wrong") == 400
    for _ in range(11):
        log_in("stranger@example.com", "wrong", address="192.0.2.2")
    assert log_in("stranger@example.com", address="192.0.2.2") == 429


def test_a_known_device_is_known_by_address_too(alice: User, client: Client) -> None:
    client.post("/login/", {"username": EMAIL, "password": PASSWORD})
    client.post("/logout/")
    for _ in range(11):
        log_in(EMAIL, "wrong", address="127.0.0.1")
    assert log_in(EMAIL, address="127.0.0.1") == 429
    assert client.post("/login/", {"username": EMAIL, "password": PASSWORD}).status_code == 302
