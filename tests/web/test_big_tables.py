"""Searching and paging through tables that are too big to be read through."""

import pytest
from django.test import Client

from relations.services import follow
from statuses.services import post_status
from tests.cast import browser_of, make_user
from users.models import User
from web import big_tables

ACCOUNTS, STATUSES = "/admin/users/user/", "/admin/statuses/status/"
FOLLOWS = "/admin/relations/follow/"


@pytest.fixture
def boss(alice: User, carol: User) -> Client:
    """Whose account is the newest."""
    return browser_of(make_user("boss", is_staff=True, is_superuser=True))


def found(browser: Client, address: str, words: str) -> list[str]:
    return [str(row) for row in browser.get(address, {"q": words}).context["cl"].result_list]


@pytest.fixture
def only_the_newest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(big_tables, "NEWEST", 1)


@pytest.mark.usefixtures("only_the_newest")
def test_words_are_looked_for_in_the_newest_rows(boss: Client, alice: User) -> None:
    post_status(author=alice, text="old tea")
    post_status(author=alice, text="new tea")
    assert found(boss, STATUSES, "tea") == ["new tea"]
    assert found(boss, ACCOUNTS, "os") == ["@boss"]
    assert found(boss, ACCOUNTS, "lic") == []


@pytest.mark.usefixtures("only_the_newest")
@pytest.mark.parametrize("words", ["alice", "Alice", "@alice", "alice@Example.com", " alice "])
def test_whole_names_and_addresses_are_found_among_all(boss: Client, words: str) -> None:
    assert found(boss, ACCOUNTS, words) == ["@alice"]


@pytest.mark.usefixtures("only_the_newest")
def test_everything_by_an_author_is_found(boss: Client, alice: User, carol: User) -> None:
    old = post_status(author=alice, text="old tea")
    post_status(author=carol, text="coffee")
    found_ = boss.get(STATUSES, {"q": "@Alice"}).context["cl"].result_list
    assert list(found_) == [old]


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
    monkeypatch.setattr(big_tables, "NEWEST", 2)
    assert boss.get(ACCOUNTS).context["cl"].result_count == 2


def test_a_search_keeps_to_the_filters(boss: Client) -> None:
    page = boss.get(ACCOUNTS, {"q": "alice", "is_staff__exact": "1"})
    assert list(page.context["cl"].result_list) == []
