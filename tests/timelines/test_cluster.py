"""Follows, timelines and lists on a Redis Cluster, where every script may touch one slot only.

The readers live in all partitions, so on all nodes; a fan-out takes several links.
"""

import io
import re
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
import redis
from django.core.management import call_command
from django.utils import timezone
from pytest_django import Settings
from redis.crc import key_slot

from lists.models import List
from lists.services import add_to_list, create_list, delete_list, remove_from_list
from redistools import keys
from redistools.client import get_client
from relations import store as edges
from relations.services import follow, unfollow
from statuses.services import delete_status, post_status
from tags.selectors import tag_named
from tags.services import follow_tag
from taskqueue.drain import drain
from tests.cast import make_user
from tests.moving_slots import masters_of, move, move_some, moving, owner_of
from tests.redis_keys import keys_of_the_test
from tests.redis_servers import CLUSTER_NODES
from timelines import fan_out, selectors, tasks
from upkeep import checking
from users.models import User

SUMMARY = re.compile(r"(\d+ \w+, )+\d+ \w+: ")

pytestmark = pytest.mark.usefixtures("site_on_a_cluster", "short_links")


@pytest.fixture
def short_links(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "PATIENCE_SECONDS", 0)
    monkeypatch.setattr(fan_out, "FIRST_DELIVERIES", 2)
    monkeypatch.setattr(tasks, "LINK_SIZE", 2)
    monkeypatch.setattr(fan_out, "BATCH_SIZE", 1)


@pytest.fixture
def readers(site_on_a_cluster: None, alice: User, settings: Settings) -> list[User]:
    """They follow alice, and read their homes."""
    readers = [make_user(f"reader{number}") for number in range(settings.PARTITIONS + 2)]
    for reader in readers:
        follow(follower=reader, followee=alice)
        home(reader)
    client: Any = get_client()
    nodes = {client.get_node_from_key(keys.home(reader.pk)).name for reader in readers}
    assert len(nodes) == CLUSTER_NODES
    return readers


@pytest.fixture
def reading(site_on_a_cluster: None, alice: User, carol: User) -> List:
    """Carol's list with alice in it."""
    reading = create_list(owner=carol, name="Reading")
    add_to_list(list_=reading, user=alice)
    selectors.list_timeline(reading)
    return reading


def home(user: User) -> list[str]:
    return [status.text for status in selectors.home(user)]


def read_list(list_: List) -> list[str]:
    return [status.text for status in selectors.list_timeline(list_)]


def differences(*options: str) -> list[str]:
    """What `check_timelines` reports once all work is done."""
    drain()
    out = io.StringIO()
    with suppress(SystemExit):
        call_command("check_timelines", *options, stdout=out, stderr=io.StringIO())
    return [line for line in out.getvalue().splitlines() if not SUMMARY.match(line)]


def test_a_post_reaches_homes_on_all_nodes(alice: User, readers: list[User]) -> None:
    post_status(author=alice, text="hello")
    drain()
    assert [home(reader) for reader in readers] == [["hello"]] * len(readers)
    assert home(alice) == ["hello"]
    assert differences() == []


def test_a_deletion_leaves_homes_and_lists_on_all_nodes(
    alice: User, readers: list[User], reading: List
) -> None:
    status = post_status(author=alice, text="oops")
    drain()
    delete_status(status=status, by=alice)
    drain()
    client = get_client()
    timelines = [keys.home(reader.pk) for reader in readers]
    timelines.append(keys.list_timeline(reading.owner_id, reading.pk))
    assert [client.lrange(name, 0, -1) for name in timelines] == [["0"]] * len(timelines)
    assert client.exists(keys.status(status.pk)) == 0
    assert differences() == []


def test_tags_and_mentions_are_found_on_all_nodes(alice: User, readers: list[User]) -> None:
    for reader in readers:
        unfollow(follower=reader, followee=alice)
        follow_tag(user=reader, name="tea")
        home(reader)
    named = " ".join(f"@{reader.username}" for reader in readers)
    status = post_status(author=alice, text=f"#Tea with {named}")
    drain()
    for reader in readers:
        assert home(reader) == [status.text]
        assert [it.id for it in selectors.mentions(reader)] == [status.pk]
    assert len(selectors.addressees(alice)) == len(readers)
    tag = tag_named("tea")
    assert [it.id for it in selectors.tag_timeline(tag)] == [status.pk]
    assert differences() == []
    delete_status(status=status, by=alice)
    assert [home(reader) for reader in readers] == [[]] * len(readers)
    assert differences() == []


def test_follows_are_known_on_both_sides(alice: User, readers: list[User]) -> None:
    edges.ensure_followers(alice.pk)
    gone, *others = readers
    unfollow(follower=gone, followee=alice)
    page = edges.newest_followers(alice.pk, below=None, limit=100)
    assert [edge.user_id for edge in page.edges] == [reader.pk for reader in reversed(others)]
    assert edges.following_ids(gone.pk) == []
    assert edges.following_ids(others[0].pk) == [alice.pk]
    alice.refresh_from_db()
    assert alice.followers_count == len(others)
    assert differences() == []


def test_a_home_gains_and_loses_with_follows(alice: User, carol: User) -> None:
    assert home(carol) == []
    post_status(author=alice, text="hello")
    follow(follower=carol, followee=alice)
    assert home(carol) == ["hello"]
    unfollow(follower=carol, followee=alice)
    assert home(carol) == []
    assert differences() == []


def test_a_list_is_fed_and_gains_and_loses_members(alice: User, bob: User, reading: List) -> None:
    post_status(author=alice, text="from alice")
    post_status(author=bob, text="from bob")
    assert read_list(reading) == ["from alice"]
    add_to_list(list_=reading, user=bob)
    assert read_list(reading) == ["from bob", "from alice"]
    remove_from_list(list_=reading, user=alice)
    assert read_list(reading) == ["from bob"]
    assert differences() == []
    delete_list(list_=reading)
    assert keys_of_the_test("list:*") + keys_of_the_test("members:*") == []
    assert differences() == []


def test_an_author_is_pulled_and_pushed_again(
    alice: User, readers: list[User], settings: Settings
) -> None:
    settings.PULL_THRESHOLD = len(readers) - 1
    post_status(author=alice, text="pushed")
    drain()
    pulled = post_status(author=alice, text="pulled")
    drain()
    alice.refresh_from_db()
    assert alice.is_pulled
    assert str(pulled.pk) not in get_client().lrange(keys.home(readers[0].pk), 0, -1)
    assert [home(reader) for reader in readers] == [["pulled", "pushed"]] * len(readers)
    assert differences() == []
    settings.PULL_THRESHOLD = 0
    post_status(author=alice, text="back")
    drain()
    assert [home(reader) for reader in readers] == [["back", "pulled", "pushed"]] * len(readers)
    assert keys_of_the_test("pulled:*") == []
    assert differences() == []


def test_damage_on_any_node_is_found_and_repaired(alice: User, readers: list[User]) -> None:
    post_status(author=alice, text="hello")
    drain()
    for reader in readers:
        get_client().lpop(keys.home(reader.pk))
    told = [f"home of {reader}: 1 missing" for reader in readers]
    assert [line.split(" (")[0] for line in differences()] == told
    assert len(differences("--repair")) == len(told)
    assert differences() == []
    assert [home(reader) for reader in readers] == [["hello"]] * len(readers)


def test_everything_comes_back_from_sql(alice: User, readers: list[User], reading: List) -> None:
    post_status(author=alice, text="hello")
    drain()
    for name in keys_of_the_test():
        get_client().delete(name)
    call_command("rebuild_timelines", "--all", stdout=io.StringIO())
    names = [keys.home(reader.pk) for reader in readers]
    names += [keys.following(reader.pk) for reader in readers]
    names += [keys.followers(keys.partition(reader.pk), alice.pk) for reader in readers]
    names.append(keys.listed(keys.partition(reading.owner_id), alice.pk))
    assert [name for name in names if not get_client().exists(name)] == []
    assert [home(reader) for reader in readers] == [["hello"]] * len(readers)
    assert read_list(reading) == ["hello"]
    assert differences() == []


def test_posts_reach_homes_whose_partition_moves_to_another_node(
    alice: User, readers: list[User]
) -> None:
    """Scripts fail while some keys of the slot are here and some are there; tasks try again."""
    slot = key_slot(keys.home(readers[0].pk).encode())
    client = get_client()
    assert isinstance(client, redis.RedisCluster)
    with masters_of(client) as masters:
        source = owner_of(slot, masters)
        target = next(master for master in masters if master is not source)
        with moving(slot, source, target):
            post_status(author=alice, text="1")
            while move_some(slot, source, target):
                post_status(author=alice, text="2")
        drain(now=timezone.now() + timedelta(minutes=5))
        assert [set(home(reader)) for reader in readers] == [{"1", "2"}] * len(readers)
        assert differences() == []
        move(slot, target, source)
