"""Timelines of tags: whole, in order, also below the seam."""

from functools import partial

import pytest
from pytest_django import DjangoAssertNumQueries

from redistools import keys
from redistools.client import get_client
from statuses.services import delete_status, edit_status
from tags.selectors import tag_named
from tags.services import follow_tag
from taskqueue.drain import drain
from tests.redis_keys import keys_of_the_test
from tests.round_trips import counting_round_trips
from tests.timelines.tagging import assert_sound, post, said_before, texts, walk, walk_up
from timelines.index import tagged
from timelines.selectors import home, tag_timeline
from users.models import User
from users.services import restore, suspend


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tagged, "TAG_SIZE", 10)


def test_a_tag_shows_what_anybody_says_with_it(alice: User, carol: User) -> None:
    post(alice, "one #Tea")
    post(carol, "two #coffee")
    post(carol, "three #TEA")
    assert texts(tag_timeline(tag_named("tea"))) == ["three #TEA", "one #Tea"]
    post(alice, "four #tea")
    assert texts(tag_timeline(tag_named("tea"))) == ["four #tea", "three #TEA", "one #Tea"]
    assert tag_timeline(tag_named("unused")) == []
    assert_sound()


def test_an_edit_moves_a_status_between_tags(alice: User) -> None:
    status = post(alice, "#tea")
    post(alice, "#coffee")
    tea, coffee = tag_named("tea"), tag_named("coffee")
    assert len(tag_timeline(tea)) == len(tag_timeline(coffee)) == 1
    edit_status(status=status, by=alice, text="#coffee after all")
    drain()
    assert texts(tag_timeline(tea)) == []
    assert texts(tag_timeline(coffee)) == ["#coffee", "#coffee after all"]
    assert_sound()


def test_a_deleted_status_leaves_its_tag_at_once(alice: User) -> None:
    status = post(alice, "#tea")
    post(alice, "more #tea")
    tag = tag_named("tea")
    tag_timeline(tag)
    delete_status(status=status, by=alice)
    held = get_client().zrange(keys_of_the_test("tag:*")[0], 0, -1)
    assert str(status.pk) not in held, "before any task has run"
    assert texts(tag_timeline(tag)) == ["more #tea"]
    assert_sound()


def test_a_deletion_that_redis_lost_is_repeated_in_tags_too(alice: User, bob: User) -> None:
    """Neither the status nor its rows are in SQL; only the hash says what it was about."""
    status = post(alice, "#tea with @bob")
    tag = tag_named("tea")
    tag_timeline(tag)
    names = [*keys_of_the_test("tag:*"), *keys_of_the_test("status:*")]
    kept = {name: get_client().dump(name) or b"" for name in names}
    delete_status(status=status, by=alice)
    drain()
    for name, value in kept.items():
        get_client().restore(name, 0, value, replace=True)
    delete_status(status=status, by=alice)
    assert get_client().zscore(names[0], status.pk) is None
    assert_sound()


def test_suspended_authors_are_hidden_and_come_back(alice: User, carol: User) -> None:
    post(carol, "#tea by carol")
    post(alice, "#tea by alice")
    tag = tag_named("tea")
    assert len(tag_timeline(tag)) == 2
    suspend(user=carol)
    assert texts(tag_timeline(tag)) == ["#tea by alice"]
    assert_sound()
    restore(user=carol)
    assert texts(tag_timeline(tag)) == ["#tea by alice", "#tea by carol"]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("limit", [3, 30])
def test_pages_of_a_tag_lead_down_into_sql_without_a_seam(alice: User, limit: int) -> None:
    ids = said_before(alice, "#tea", 50)
    said_before(alice, "#coffee", 5)
    read = partial(tag_timeline, tag_named("tea"))
    assert walk(read, limit) == ids[::-1]
    assert walk_up(read, limit) == ids[::-1]
    new = [post(alice, "#tea").pk for _ in range(3)]
    assert walk(read, limit) == [*new[::-1], *ids[::-1]]
    assert_sound()


def test_a_page_of_a_tag_costs_three_round_trips_and_no_sql(
    alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(3):
        post(alice, "#tea")
    tag = tag_named("tea")
    tag_timeline(tag)
    with counting_round_trips() as trips, django_assert_num_queries(0):
        assert len(tag_timeline(tag)) == 3
    assert len(trips) == 3


def test_only_partitions_that_read_a_tag_have_a_copy(alice: User, bob: User) -> None:
    post(alice, "#tea")
    assert keys_of_the_test("tag:*") == []
    tag = tag_named("tea")
    tag_timeline(tag)
    assert keys_of_the_test("tag:*") == [tagged.copy_of(keys.partition(tag.pk), tag.pk)]
    follow_tag(user=bob, name="tea")
    home(bob)
    copies = {
        tagged.copy_of(keys.partition(tag.pk), tag.pk),
        tagged.copy_of(keys.partition(bob.pk), tag.pk),
    }
    assert set(keys_of_the_test("tag:*")) == copies
    assert all(0 < get_client().ttl(name) <= tagged.LIFETIME for name in copies)


def test_a_copy_that_is_read_lives_on(alice: User, bob: User) -> None:
    post(alice, "#tea")
    follow_tag(user=bob, name="tea")
    home(bob)
    tag = tag_named("tea")
    tag_timeline(tag)
    for name in keys_of_the_test("tag:*"):
        get_client().expire(name, 60)
    tag_timeline(tag)
    assert get_client().ttl(tagged.copy_of(keys.partition(tag.pk), tag.pk)) > 60
    get_client().expire(keys.home(bob.pk), 60)
    home(bob)
    assert get_client().ttl(tagged.copy_of(keys.partition(bob.pk), tag.pk)) > 60


def test_an_id_without_a_status_is_dropped_where_it_was_found(alice: User, bob: User) -> None:
    post(alice, "#tea")
    follow_tag(user=bob, name="tea")
    tag = tag_named("tea")
    home(bob)
    tag_timeline(tag)
    for name in keys_of_the_test("tag:*"):
        get_client().zadd(name, {"4711": 4711})
    assert len(home(bob)) == len(tag_timeline(tag)) == 1
    for name in keys_of_the_test("tag:*"):
        assert get_client().zscore(name, 4711) is None
