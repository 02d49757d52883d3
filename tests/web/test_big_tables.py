"""Searching and paging through tables that are too big to be read through."""

import pytest
from django.test import Client

from relations.services import follow
from tests.cast import browser_of, make_user
from users.models import User
from web.sql import big_tables

ACCOUNTS = "/admin/users/user/"
FOLLOWS = "/admin/relations/follow/"


@pytest.fixture
def boss(alice: User, carol: User) -> Client:
    """Whose account is the newest."""
    return browser_of(make_user("boss", is_staff=True, is_superuser=True))


def found(browser: Client, address: str, words: str) -> list[str]:
    return [str(row) for row in browser.get(address, {"q": words}).context["cl"].result_list]


def test_follows_are_found_by_either_name(boss: Client, alice: User, carol: User) -> None:
    follow(follower=carol, followee=alice)
    assert (
        found(boss, FOLLOWS, "alice")
        == found(boss, FOLLOWS, "carol")
        == [f"{carol} follows {alice}"]
    )
    assert found(boss, FOLLOWS, "ali") == []


def test_nothing_is_counted_beyond_a_bound(boss: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert boss.get(ACCOUNTS).context["cl"].result_count == 3
    monkeypatch.setattr(big_tables, "MOST_ROWS", 2)
    assert boss.get(ACCOUNTS).context["cl"].result_count == 2


def test_a_search_keeps_to_the_filters(boss: Client) -> None:
    page = boss.get(ACCOUNTS, {"q": "alice", "is_staff__exact": "1"})
    assert list(page.context["cl"].result_list) == []
