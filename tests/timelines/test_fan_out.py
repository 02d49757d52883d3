"""Deliveries to many, through the real queue."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from bench.population import make_users
from lists.services import add_to_list, create_list
from redistools import keys
from redistools.client import get_client
from redistools.ids import first_id_at
from redistools.scripts import Batch
from relations.models import Follow
from statuses import tasks as status_tasks
from statuses.services import delete_status, post_status
from taskqueue import outbox
from taskqueue.drain import drain
from taskqueue.models import OutboxEntry
from timelines import fan_out, selectors, tasks
from users.models import User


@contextmanager
def crowd_of(count: int, author: User) -> Iterator[range]:
    """Ids of followers whose homes exist."""
    crowd = make_users(count)
    make_follows(crowd, author)
    open_homes(crowd)
    yield crowd
    # Tests after this one share the server, and some look through all its keys.
    get_client().unlink(*map(keys.home, crowd))


def make_follows(crowd: range, author: User) -> None:
    """All within one millisecond: ids that differ only in their sequence."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {Follow._meta.db_table} (id, follower_id, followee_id) "
            f"SELECT id - %s + %s, id, %s FROM {User._meta.db_table} WHERE id BETWEEN %s AND %s",
            [crowd[0], first_id_at(timezone.now()), author.pk, crowd[0], crowd[-1]],
        )
    User.objects.filter(pk=author.pk).update(followers_count=len(crowd))


def open_homes(user_ids: Sequence[int]) -> None:
    """Homes as they are after somebody read them: whole, and empty."""
    batch = Batch(get_client())
    for user_id in user_ids:
        batch.add("RPUSH", keys.home(user_id), "0")
    batch.run()


def how_often_in_homes(user_ids: Sequence[int], status_id: int) -> list[int]:
    batch = Batch(get_client())
    for user_id in user_ids:
        batch.add("LRANGE", keys.home(user_id), 0, -1)
    return [home.count(str(status_id)) for home in batch.run()]


@pytest.fixture
def crowd(alice: User) -> Iterator[range]:
    with crowd_of(2_500, alice) as crowd:
        yield crowd


def test_followers_who_came_in_the_same_millisecond_all_get_it(alice: User, crowd: range) -> None:
    status = post_status(author=alice, text="hello all")
    drain()
    assert how_often_in_homes(crowd, status.pk) == [1] * len(crowd)


def test_the_first_thousand_have_it_before_the_call_returns(alice: User, crowd: range) -> None:
    status = post_status(author=alice, text="hello all")
    early = sum(how_often_in_homes(crowd, status.pk))
    assert fan_out.FIRST_DELIVERIES <= early < len(crowd)


def test_a_home_that_nobody_reads_costs_nothing(alice: User, crowd: range) -> None:
    asleep = crowd[::2]
    get_client().delete(*(keys.home(user_id) for user_id in asleep))
    status = post_status(author=alice, text="hello all")
    drain()
    assert get_client().exists(*(keys.home(user_id) for user_id in asleep)) == 0
    assert how_often_in_homes(crowd[1::2], status.pk) == [1] * len(crowd[1::2])


def test_a_deletion_stops_a_fan_out_under_way_and_sweeps(alice: User, crowd: range) -> None:
    status = post_status(author=alice, text="oops")
    delete_status(status=status, by=alice)
    drain()
    assert how_often_in_homes(crowd, status.pk) == [0] * len(crowd)


def lose_queue() -> None:
    assert outbox.waiting() == 0
    queue = get_client().keys(keys.queue("fan_out", "*"))
    get_client().delete(*queue, keys.outbox_done())


def test_a_fan_out_goes_on_when_redis_loses_its_queue(
    alice: User, crowd: range, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes so long that the row of the post itself is gone."""
    monkeypatch.setattr(tasks, "LINK_SIZE", 10)
    status = post_status(author=alice, text="hello all")
    lose_queue()
    OutboxEntry.objects.all().delete()
    alice.refresh_from_db()
    for leg in fan_out.all_legs(alice):
        tasks.deliver.call(status.pk, *leg)
    lose_queue()
    assert 0 in how_often_in_homes(crowd, status.pk)
    drain()
    assert how_often_in_homes(crowd, status.pk) == [1] * len(crowd)


def test_a_fan_out_that_runs_twice_shows_once(alice: User, crowd: range) -> None:
    status = post_status(author=alice, text="hello all")
    status_tasks.publish.call(status.pk, alice.pk)
    drain()
    reader = User.objects.get(pk=crowd[0])
    assert [each.id for each in selectors.home(reader)] == [status.pk]


def test_a_lost_shard_is_read_from_sql_before_the_fan_out(alice: User, crowd: range) -> None:
    post_status(author=alice, text="fills the partitions")
    drain()
    get_client().delete(keys.followers(keys.partition(crowd[0]), alice.pk))
    status = post_status(author=alice, text="hello again")
    drain()
    assert how_often_in_homes(crowd, status.pk) == [1] * len(crowd)


def test_an_author_above_the_threshold_is_pulled(
    alice: User, crowd: range, settings: Settings
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


@pytest.mark.long
def test_a_hundred_thousand_followers_get_it_exactly_once(alice: User) -> None:
    with crowd_of(100_000, alice) as crowd:
        status = post_status(author=alice, text="hello everybody")
        drain()
        assert how_often_in_homes(crowd, status.pk) == [1] * 100_000
