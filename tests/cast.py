"""The cast of the tests: alice posts, bob follows alice, carol is a stranger."""

from collections.abc import Sequence

import pytest
from django.db import connection
from django.test import Client

from relations.services import follow
from tests.races import in_threads
from users.models import User


@pytest.fixture
def alice(transactional_db: None) -> User:
    return make_user("alice", name="Alice Liddell")


@pytest.fixture
def bob(alice: User) -> User:
    bob = make_user("bob")
    follow(follower=bob, followee=alice)
    return bob


@pytest.fixture
def carol(transactional_db: None) -> User:
    return make_user("carol")


def make_user(username: str, **fields: object) -> User:
    """Without the slow password hash of a sign-up."""
    return User.objects.create(
        username=username, email=f"{username}@example.com", password="!", **fields
    )


def browser_of(user: User) -> Client:
    """A browser in which the user is logged in."""
    browser = Client()
    browser.force_login(user)
    return browser


def clicks(
    browsers: Sequence[Client], address: str, fields: dict[str, str] | None = None
) -> list[int]:
    """The status codes that the browsers get when all send the same form at the same instant."""
    waiting = list(browsers)

    def click() -> int:
        try:
            return waiting.pop().post(address, fields or {}).status_code
        finally:
            connection.close()

    return in_threads(len(browsers), click)
