"""Deliveries to many, through the real queue."""

import pytest
from django.utils import timezone
from pytest_django import Settings

from redistools import keys
from redistools.client import get_client
from redistools.ids import first_id_at
from redistools.scripts import Batch
from statuses.services import delete_status, post_status
from taskqueue.drain import drain
from timelines import selectors, syndication, tasks
from timelines.services import add_to_list, create_list
from users.models import Follow, User


def make_followers(author: User, count: int, *, follow_id: int) -> list[int]:
    """In bulk, all within one millisecond: ids that differ in their sequence alone."""
    names = (f"f{number}" for number in range(count))
    users = User.objects.bulk_create(User(username=name, email="f@example.com") for name in names)
    Follow.objects.bulk_create(
        Follow(id=follow_id + place, follower=user, followee=author)
        for place, user in enumerate(users)
    )
    User.objects.filter(pk=author.pk).update(followers_count=count)
    return [user.pk for user in users]


def open_homes(user_ids: list[int]) -> None:
    """Homes as they are after somebody read them: whole, and empty."""
    batch = Batch(get_client())
    for user_id in user_ids:
        batch.add("RPUSH", keys.home(user_id), "0")
    batch.run()


def how_often_in_homes(user_ids: list[int], status_id: int) -> list[int]:
    batch = Batch(get_client())
    for user_id in user_ids:
        batch.add("LRANGE", keys.home(user_id), 0, -1)
    return [home.count(str(status_id)) for home in batch.run()]


@pytest.fixture
def crowd(alice: User) -> list[int]:
    crowd = make_followers(alice, 2_500, follow_id=first_id_at(timezone.now()))
    open_homes(crowd)
    return crowd


def test_followers_who_came_in_the_same_millisecond_all_get_it(
    alice: User, crowd: list[int]
) -> None:
    status = post_status(author=alice, text="hello all")
    drain()
    assert how_often_in_homes(crowd, status.pk) == [1] * len(crowd)


def test_the_first_thousand_have_it_before_the_call_returns(alice: User, crowd: list[int]) -> None:
    status = post_status(author=alice, text="hello all")
    early = sum(how_often_in_homes(crowd, status.pk))
    assert syndication.FIRST_DELIVERIES <= early < len(crowd)


def test_a_home_that_nobody_reads_costs_nothing(alice: User, crowd: list[int]) -> None:
    asleep = crowd[::2]
    get_client().delete(*(keys.home(user_id) for user_id in asleep))
    status = post_status(author=alice, text="hello all")
    drain()
    assert get_client().exists(*(keys.home(user_id) for user_id in asleep)) == 0
    assert how_often_in_homes(crowd[1::2], status.pk) == [1] * len(crowd[1::2])


def test_a_deletion_stops_a_fan_out_under_way_and_sweeps(alice: User, crowd: list[int]) -> None:
    status = post_status(author=alice, text="oops")
    delete_status(status=status, by=alice)
    drain()
    assert how_often_in_homes(crowd, status.pk) == [0] * len(crowd)


def test_a_fan_out_that_runs_twice_shows_once(alice: User, crowd: list[int]) -> None:
    status = post_status(author=alice, text="hello all")
    tasks.publish.call(status.pk, alice.pk)
    drain()
    reader = User.objects.get(pk=crowd[0])
    assert [each.id for each in selectors.home(reader)] == [status.pk]


def test_a_lost_shard_is_read_from_sql_before_the_fan_out(alice: User, crowd: list[int]) -> None:
    post_status(author=alice, text="fills the shards")
    drain()
    get_client().delete(keys.followers(keys.partition(crowd[0]), alice.pk))
    status = post_status(author=alice, text="hello again")
    drain()
    assert how_often_in_homes(crowd, status.pk) == [1] * len(crowd)


def test_an_author_above_the_threshold_is_pulled(
    alice: User, crowd: list[int], settings: Settings
) -> None:
    before = post_status(author=alice, text="pushed")
    drain()
    settings.PULL_THRESHOLD = 2_000
    between = post_status(author=alice, text="pushed, and it makes alice change over")
    drain()
    after = post_status(author=alice, text="pulled")
    drain()
    alice.refresh_from_db()
    assert alice.is_pulled
    assert how_often_in_homes(crowd, after.pk) == [0] * len(crowd)
    reader = User.objects.get(pk=crowd[7])
    seen = [status.id for status in selectors.home(reader)]
    assert seen == [after.pk, between.pk, before.pk]

    settings.PULL_THRESHOLD = 0
    back = post_status(author=alice, text="changes back")
    drain()
    again = post_status(author=alice, text="pushed again")
    drain()
    seen = [status.id for status in selectors.home(reader)]
    assert seen == [again.pk, back.pk, after.pk, between.pk, before.pk]
    assert get_client().exists(f"{keys.pulled(0)}{alice.pk}") == 0


def test_lists_are_fed_by_the_same_fan_out(alice: User, carol: User) -> None:
    reading = create_list(owner=carol, name="Reading")
    add_to_list(list_=reading, user=alice)
    assert selectors.list_timeline(reading) == []
    status = post_status(author=alice, text="for the list")
    assert [each.id for each in selectors.list_timeline(reading)] == [status.pk]
    assert selectors.home(carol) == []


def test_somebody_without_followers_or_lists_makes_no_shards(alice: User) -> None:
    post_status(author=alice, text="into the void")
    assert get_client().exists(keys.followers(0, alice.pk), keys.listed(0, alice.pk)) == 0


def test_a_hundred_thousand_followers_get_it_exactly_once(alice: User) -> None:
    crowd = make_followers(alice, 100_000, follow_id=first_id_at(timezone.now()))
    open_homes(crowd)
    status = post_status(author=alice, text="hello everybody")
    drain()
    assert how_often_in_homes(crowd, status.pk) == [1] * len(crowd)
