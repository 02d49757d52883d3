"""What visitors see first."""

import re

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from relations.services import follow
from statuses.services import post_status
from statuses.store import read_statuses
from tests.cast import browser_of
from tests.outages import redis_away
from tests.round_trips import counting_round_trips
from users.audience import Visibility
from users.models import User
from users.services import suspend

pytestmark = pytest.mark.django_db


def shown(page: str) -> list[str]:
    return re.findall(r'<p class="status-text"[^>]*>([^<]*)</p>', page)


def test_visitors_see_the_newest_public_posts(client: Client, alice: User, bob: User) -> None:
    first = post_status(author=alice, text="number 0")
    for number in range(1, 7):
        post_status(author=alice, text=f"number {number}")
    post_status(author=alice, text="a secret", visibility=Visibility.FOLLOWERS)
    post_status(author=bob, text="a reply", reply_to=read_statuses([first.pk])[first.pk].id)
    page = client.get("/").content.decode()
    assert shown(page) == [f"number {number}" for number in (6, 5, 4, 3, 2)]
    assert "css/landing" in page
    assert 'name="csrfmiddlewaretoken"' not in page


def test_a_new_site_invites_to_write(client: Client) -> None:
    page = client.get("/").content.decode()
    assert "The first posts will appear here." in page
    assert 'href="/signup/"' in page


def test_while_redis_is_away_the_posts_come_from_sql(
    client: Client, alice: User, bob: User, carol: User, transactional_db: None
) -> None:
    post_status(author=alice, text="tea?")
    post_status(author=alice, text="a secret", visibility=Visibility.FOLLOWERS)
    post_status(author=carol, text="spam")
    suspend(user=carol)
    with redis_away():
        answer = client.get("/")
    assert answer.status_code == 200
    assert shown(answer.content.decode()) == ["tea?"]
    assert "It is quiet here still" not in answer.content.decode()
    assert "no-store" in answer["Cache-Control"]


def test_members_have_their_home_there(alice: User, carol: User) -> None:
    follow(follower=carol, followee=alice)
    post_status(author=alice, text="tea?")
    page = browser_of(carol).get("/").content.decode()
    assert shown(page) == ["tea?"]
    assert "css/landing" not in page


def test_it_is_cheap(
    client: Client, alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(10):
        post_status(author=alice, text=f"number {number}")
    client.get("/explore/newest/")
    with counting_round_trips() as trips, django_assert_num_queries(1):
        assert len(shown(client.get("/").content.decode())) == 5
    # One for the posts; the others look for a kept page, and keep this one.
    assert len(trips) <= 4, trips.sent
    with counting_round_trips() as trips, django_assert_num_queries(0):
        assert len(shown(client.get("/").content.decode())) == 5
    assert len(trips) == 1, trips.sent


def test_it_stands_without_redis(client: Client, alice: User, settings: Settings) -> None:
    post_status(author=alice, text="tea?")
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    answer = client.get("/")
    assert answer.status_code == 200
    assert "Create an account" in answer.content.decode()
