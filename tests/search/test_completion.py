"""Names and tags while somebody types."""

from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from relations.blocks_and_mutes.services import block
from relations.services import follow
from search.completion import contacts, offering
from statuses.services import post_status
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from tests.round_trips import counting_round_trips
from users import throttling
from users.models import User
from users.services import suspend


def complete(viewer: User, query: str) -> Any:
    answer = browser_of(viewer).get("/complete/", {"q": query})
    assert answer.status_code == 200
    return answer.json()


def names(viewer: User, query: str) -> list[str]:
    return [it["username"] for it in complete(viewer, query)["people"]]


def test_people_one_writes_to_come_first_then_people_one_follows_then_anybody(carol: User) -> None:
    for name, count in (("max_a", 9), ("max_b", 5), ("max_c", 0), ("max_d", 1)):
        make_user(name, followers_count=count)
    follow(follower=carol, followee=User.objects.get(username="max_b"))
    post_status(author=carol, text="hello @max_c")
    drain()
    assert names(carol, "@max") == ["max_c", "max_b", "max_a", "max_d"]
    post_status(author=carol, text="hello @max_d")
    drain()
    assert names(carol, "@max") == ["max_d", "max_c", "max_b", "max_a"]


def test_an_answer_says_what_the_box_shows(alice: User, carol: User) -> None:
    assert complete(carol, "@lidd") == {
        "people": [{"id": alice.pk, "username": "alice", "name": "Alice Liddell", "avatar": ""}],
        "tags": [],
    }


def test_at_most_eight_are_offered(carol: User) -> None:
    for number in range(12):
        make_user(f"twin{number}")
    assert len(names(carol, "@twin")) == offering.SHOWN


def test_nobody_is_offered_who_is_blocked_or_suspended_or_the_writer(
    alice: User, carol: User
) -> None:
    dave = make_user("alison")
    post_status(author=carol, text="@alice @alison")
    drain()
    assert names(carol, "@al") == ["alison", "alice"] or names(carol, "@al") == ["alice", "alison"]
    block(blocker=alice, blocked=carol)
    suspend(user=dave)
    assert names(carol, "@al") == []
    assert names(carol, "@car") == []


def test_tags_are_completed(alice: User, carol: User) -> None:
    post_status(author=alice, text="#Berlin")
    drain()
    assert complete(carol, "#ber") == {
        "people": [],
        "tags": [{"name": "berlin", "written": "Berlin"}],
    }


@pytest.mark.parametrize("query", ["", "ali", "@", "#", "@ ", "#!", "x@ali", "@" + "a" * 300])
def test_anything_else_completes_to_nothing(alice: User, carol: User, query: str) -> None:
    assert complete(carol, query) == {"people": [], "tags": []}


def test_answers_are_private_and_kept_for_moments(carol: User) -> None:
    answer = browser_of(carol).get("/complete/?q=@a")
    assert answer["Content-Type"] == "application/json"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert {"private", "max-age=30"} <= set(answer["Cache-Control"].split(", "))


def test_visitors_complete_nothing(alice: User, client: Client) -> None:
    assert client.get("/complete/?q=@ali").status_code == 302


def test_who_asks_too_often_is_told_when_to_come_back(
    carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(throttling, "COMPLETIONS", 1)
    browser = browser_of(carol)
    assert browser.get("/complete/?q=@a").status_code == 200
    answer = browser.get("/complete/?q=@a")
    assert answer.status_code == 429
    assert int(answer["Retry-After"]) > 0


def test_the_account_of_exactly_this_name_comes_first(carol: User) -> None:
    for name, count in (("benj", 9), ("ben", 0)):
        make_user(name, followers_count=count)
    post_status(author=carol, text="hello @benj")
    drain()
    assert names(carol, "@ben") == ["ben", "benj"]
    assert names(carol, "@Ben") == ["ben", "benj"]
    assert names(carol, "@be") == ["benj", "ben"]


def test_a_completion_costs_four_round_trips_and_six_queries(
    alice: User, bob: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    """Two of each are the session, the rate limit and the account."""
    post_status(author=bob, text="@alice")
    drain()
    browser = browser_of(bob)
    browser.get("/complete/?q=@ali")
    with counting_round_trips() as trips, django_assert_max_num_queries(6):
        browser.get("/complete/?q=@ali")
    assert len(trips) <= 4, trips.sent


def test_a_browser_may_keep_whom_one_writes_to_and_follows(
    alice: User, bob: User, carol: User
) -> None:
    post_status(author=bob, text="@carol")
    drain()
    people = browser_of(bob).get("/complete/contacts/").json()["people"]
    assert people == [["carol", "carol"], ["alice", "Alice Liddell"]]
    block(blocker=carol, blocked=bob)
    suspend(user=alice)
    answer = browser_of(bob).get("/complete/contacts/")
    assert answer.json() == {"people": []}
    assert {"private", "no-cache"} <= set(answer["Cache-Control"].split(", "))
    assert Client().get("/complete/contacts/").status_code == 302


def test_what_a_browser_keeps_is_small(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contacts, "MOST_BYTES", 100)
    for number in range(5):
        follow(follower=alice, followee=make_user(f"twin{number}", name="太郎" * 5))
    answer = browser_of(alice).get("/complete/contacts/")
    assert [it[0] for it in answer.json()["people"]] == ["twin4"]
