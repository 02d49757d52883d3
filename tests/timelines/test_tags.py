"""Timelines of tags: whole, in order, also below the seam; and who follows which."""

from functools import partial

import pytest
from django.db import connection
from pytest_django import DjangoAssertNumQueries

from redistools import keys
from redistools.client import get_client
from statuses.models import Tag, TagFollow
from statuses.services import delete_status, edit_status
from taskqueue.drain import drain
from tests.races import in_threads
from tests.redis_keys import keys_of_the_test
from tests.round_trips import counting_round_trips
from tests.timelines.tagging import assert_sound, at_once, post, said_before, texts, walk, walk_up
from timelines import services
from timelines.index import tagged
from timelines.selectors import followed_tags, home, tag_named, tag_timeline
from timelines.services import follow_tag, unfollow_tag
from users.models import AccountGone, User
from users.services import restore, suspend
from web.refusals import Refusal


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tagged, "TAG_SIZE", 10)


# The timeline of a tag


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


# Following


def test_following_twice_and_unfollowing_twice_changes_nothing(bob: User) -> None:
    assert follow_tag(user=bob, name="Tea")
    assert not follow_tag(user=bob, name="TEA")
    assert [tag.name for tag in followed_tags(bob)] == ["tea"]
    assert unfollow_tag(user=bob, name="tEa")
    assert not unfollow_tag(user=bob, name="tea")
    assert followed_tags(bob) == []
    assert not TagFollow.objects.exists()
    assert_sound()


def test_a_tag_can_be_followed_before_anybody_uses_it(alice: User, bob: User) -> None:
    follow_tag(user=bob, name="teatime")
    assert str(Tag.objects.get()) == "#teatime"
    assert home(bob) == []
    post(alice, "#TeaTime")
    assert str(Tag.objects.get()) == "#TeaTime", "as it was written first"
    assert len(home(bob)) == 1


@pytest.mark.parametrize("name", ["", "1", "a b", "#tea", "a" * 101])
def test_what_is_no_tag_can_not_be_followed(bob: User, name: str) -> None:
    with pytest.raises(Refusal, match="A tag has up to 100 letters"):
        follow_tag(user=bob, name=name)
    assert not unfollow_tag(user=bob, name=name)
    assert not Tag.objects.exists()


def test_nobody_follows_more_tags_than_a_home_can_merge(
    bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "MAX_TAGS", 3)
    names = [f"tag{number}" for number in range(8)]

    def follow_one() -> bool:
        try:
            return follow_tag(user=bob, name=names.pop())
        except Refusal as error:
            return error.code != "limit"
        finally:
            connection.close()

    assert sum(in_threads(len(names), follow_one)) == 3, "the others are refused"
    assert len(followed_tags(bob)) == 3
    assert Tag.objects.count() == 3, "a refused follow leaves nothing behind"
    assert_sound()


def test_follows_and_unfollows_at_once_end_the_same_in_both_stores(bob: User) -> None:
    home(bob)
    for _ in range(3):
        at_once(
            *[partial(action, user=bob, name="tea") for action in (follow_tag, unfollow_tag)] * 3
        )
        follows = TagFollow.objects.filter(user=bob).exists()
        assert [tag.name for tag in followed_tags(bob)] == ["tea"] * follows
    assert_sound()


def test_an_account_that_is_gone_follows_nothing(bob: User) -> None:
    User.objects.filter(pk=bob.pk).delete()
    with pytest.raises(AccountGone):
        follow_tag(user=bob, name="tea")
    assert not Tag.objects.exists()
