"""The cast of the tests: alice posts, bob follows alice, carol is a stranger."""

from django.test import Client

from users.models import User


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
