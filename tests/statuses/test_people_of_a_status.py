"""The pages of who liked and who boosted a status."""

import re
from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from relations.services import follow
from statuses.models import Status
from statuses.reactions import store as reaction_store
from statuses.reactions.people import boosters, likers
from statuses.reactions.services import boost, like
from statuses.services import delete_status
from tests.cast import browser_of, make_user
from tests.plans import on_sqlite
from tests.round_trips import counting_round_trips
from tests.statuses.reading_reactions import pages, post
from users.models import User
from users.services import restore, suspend


def names(page: str) -> list[str]:
    return re.findall(r'<span class="person-login">@(\w+)</span>', page.split("<main")[1])


@pytest.mark.parametrize(("address", "reaction"), [("likes", like), ("boosts", boost)])
def test_who_did_it_is_listed_the_newest_first_with_buttons(
    client: Client, alice: User, bob: User, carol: User, address: str, reaction: type
) -> None:
    status = post(alice, "hello")
    for user in (bob, carol, alice):
        reaction(user=user, status=status)
    follow(follower=bob, followee=carol)
    path = f"/@alice/{status.id}/{address}/"
    assert names(client.get(path).content.decode()) == ["alice", "carol", "bob"]
    page = browser_of(bob).get(path).content.decode()
    assert 'action="/@carol/unfollow/"' in page
    assert 'action="/@alice/unfollow/"' in page
    assert 'action="/@bob/follow/"' not in page


@pytest.mark.parametrize("address", ["likes", "boosts"])
def test_pages_of_people_lead_on_without_suspended_ones(
    client: Client, alice: User, address: str
) -> None:
    status = post(alice, "hello")
    people = [make_user(f"user{n}") for n in range(120)]
    for user in people:
        (like if address == "likes" else boost)(user=user, status=status)
    for user in people[::4]:
        suspend(user=user)
    shown = [names(page) for page in pages(client, f"/@alice/{status.id}/{address}/")]
    left = [f"user{n}" for n in reversed(range(120)) if n % 4]
    assert [name for page in shown for name in page] == left
    assert [len(page) for page in shown] == [50, 40]


@on_sqlite
@pytest.mark.parametrize(
    ("read", "index"),
    [
        (lambda: likers(7, viewer=None, max_id=9), "like_by_status"),
        (lambda: boosters(7, viewer=None, max_id=9), "status_boosts"),
        (lambda: reaction_store.in_sql("like", 7), "like_by_user"),
        (lambda: reaction_store.in_sql("bookmark", 7), "bookmark_by_user"),
    ],
)
def test_rows_are_read_by_index_in_their_order(
    transactional_db: None, read: Callable[[], object], index: str
) -> None:
    with CaptureQueriesContext(connection) as queries:
        read()
    (plan,) = [it for it in (plan_of(query["sql"]) for query in queries) if index in it]
    assert "SCAN" not in plan
    assert "TEMP B-TREE" not in plan


def plan_of(query: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {query}")
        return str(cursor.fetchall())


def test_people_of_a_status_are_cheap(
    alice: User, bob: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    status = post(alice, "hello")
    for n in range(60):
        user = make_user(f"user{n}")
        like(user=user, status=status)
        boost(user=user, status=status)
    browser = browser_of(bob)
    for address in (f"/@alice/{status.id}/likes/", f"/@alice/{status.id}/boosts/"):
        browser.get(address)
        with counting_round_trips() as trips, django_assert_num_queries(3):
            assert len(names(browser.get(address).content.decode())) == 50
        assert len(trips) <= 6, trips.sent


@pytest.mark.parametrize("address", ["likes", "boosts", "history"])
def test_pages_about_a_status_are_there_for_who_may_see_it(
    client: Client, alice: User, carol: User, address: str
) -> None:
    status = post(alice, "hello")
    path = f"/@alice/{status.id}/{address}/"
    assert client.get(path).status_code == 200
    assert client.get(f"/@carol/{status.id}/{address}/").status_code == 404
    assert client.get(f"/@ALICE/{status.id}/{address}/")["Location"] == path
    assert client.get(f"/@alice/4711/{address}/").status_code == 404
    assert client.post(path).status_code == 405
    suspend(user=alice)
    assert client.get(path).status_code == 404
    restore(user=alice)
    delete_status(status=Status.objects.get(), by=alice)
    assert client.get(path).status_code == 404


def test_nobody_did_it_yet(client: Client, alice: User) -> None:
    status = post(alice, "hello")
    page = client.get(f"/@alice/{status.id}/likes/").content.decode()
    assert "Nobody has liked this post yet" in page
    page = client.get(f"/@alice/{status.id}/boosts/").content.decode()
    assert "Nobody has boosted this post yet" in page
