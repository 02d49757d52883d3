"""What is said with a followed tag is in the home: once, in order, down into SQL."""

from functools import partial

import pytest
from pytest_django import DjangoAssertNumQueries, Settings

from redistools.client import get_client
from relations.services import follow
from statuses import tasks as status_tasks
from statuses.reactions.services import boost
from statuses.services import delete_status, edit_status, post_status
from statuses.store import find_statuses
from tags.selectors import followed_tags, tag_named
from tags.services import follow_tag, unfollow_tag
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from tests.redis_keys import keys_of_the_test
from tests.round_trips import counting_round_trips
from tests.timelines.tagging import assert_sound, at_once, post, said_before, texts, walk, walk_up
from timelines import store
from timelines.index import tagged
from timelines.selectors import home, home_in_sql, tag_timeline
from users.models import User


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "TIMELINE_SIZE", 10)
    monkeypatch.setattr(tagged, "TAG_SIZE", 10)


def test_a_home_has_what_is_said_with_a_followed_tag_from_now_on_and_before(
    alice: User, bob: User, carol: User
) -> None:
    post(carol, "before #tea")
    post(alice, "by alice")
    assert texts(home(bob)) == ["by alice"]
    follow_tag(user=bob, name="tea")
    assert texts(home(bob)) == ["by alice", "before #tea"]
    post(carol, "after #Tea")
    post(carol, "something else")
    assert texts(home(bob)) == ["after #Tea", "by alice", "before #tea"]
    assert_sound()
    unfollow_tag(user=bob, name="tea")
    assert texts(home(bob)) == ["by alice"]
    assert_sound()


def test_what_comes_both_ways_shows_once(alice: User, bob: User) -> None:
    follow_tag(user=bob, name="tea")
    follow_tag(user=bob, name="cake")
    home(bob)
    post(alice, "#tea and #cake")
    post(bob, "#tea for me")
    assert texts(home(bob)) == ["#tea for me", "#tea and #cake"]
    assert_sound()


def test_a_tag_brings_no_boosts_and_no_replies_to_strangers(
    alice: User, bob: User, carol: User
) -> None:
    dave = make_user("dave")
    follow_tag(user=bob, name="tea")
    status = post(carol, "any #tea?")
    boost(user=dave, status=find_statuses([status.pk])[status.pk])
    post(dave, "#tea here", reply_to=find_statuses([status.pk])[status.pk].id)
    drain()
    assert [it.boost for it in home(bob)] == [None]
    assert texts(home(bob)) == ["any #tea?"]
    follow(follower=bob, followee=carol)
    drain()
    assert texts(home(bob)) == ["#tea here", "any #tea?"], "she is no stranger any more"
    assert_sound()


def test_an_edit_brings_a_status_into_a_home_and_takes_it_out(bob: User, carol: User) -> None:
    follow_tag(user=bob, name="tea")
    status = post(carol, "coffee")
    assert home(bob) == []
    edit_status(status=status, by=carol, text="#tea")
    drain()
    assert texts(home(bob)) == ["#tea"]
    edit_status(status=status, by=carol, text="#coffee")
    drain()
    assert home(bob) == []
    assert_sound()


def test_a_deleted_status_leaves_homes_at_once(bob: User, carol: User) -> None:
    follow_tag(user=bob, name="tea")
    status = post(carol, "#tea")
    assert len(home(bob)) == 1
    delete_status(status=status, by=carol)
    assert home(bob) == []
    (copy,) = keys_of_the_test("tag:*")
    assert get_client().zscore(copy, status.pk) is None


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("limit", [3, 7, 30])
def test_a_home_with_three_tags_leads_down_into_sql_without_seam_or_repeat(
    alice: User, bob: User, carol: User, limit: int
) -> None:
    """One tag is busy, one rare, one is only used by somebody who is followed as well."""
    for name in ("busy", "rare", "both"):
        follow_tag(user=bob, name=name)
    for _ in range(10):
        said_before(carol, "#busy", 3)
        said_before(alice, "#both and #busy", 1)
        said_before(carol, "#rare", 1)
        said_before(alice, "by alice", 1)
        said_before(carol, "nothing for bob", 1)
    expected = list(home_in_sql(bob.pk).newest_first().values_list("pk", flat=True))
    assert len(expected) == 10 * 6
    read = partial(home, bob)
    assert walk(read, limit) == expected
    assert walk_up(read, limit) == expected
    post(carol, "#rare and new")
    assert texts(home(bob, limit=1)) == ["#rare and new"]
    assert walk(read, limit)[1:] == expected
    assert_sound()


@pytest.mark.usefixtures("small")
def test_a_busy_tag_hides_nothing_that_comes_late(bob: User, carol: User) -> None:
    """A status that is indexed late, below what the copy of its tag holds, is found in SQL."""
    follow_tag(user=bob, name="tea")
    late = post_status(author=carol, text="#tea but late")
    new = said_before(carol, "#tea", 50)
    home(bob)
    drain()
    assert walk(partial(home, bob)) == [*new[::-1], late.pk]
    assert_sound()


@pytest.mark.parametrize("pull_threshold", [0, 1])
def test_tags_and_pulled_authors_are_merged_together(
    alice: User, bob: User, carol: User, settings: Settings, pull_threshold: int
) -> None:
    settings.PULL_THRESHOLD = pull_threshold
    follow(follower=carol, followee=alice)
    follow_tag(user=bob, name="tea")
    said = [post(author, text) for author in (alice, carol) for text in ("#tea", "none")]
    said.append(post(alice, "#tea again"))
    wanted = [status.pk for status in reversed(said) if status != said[3]]
    assert [status.id for status in home(bob)] == wanted
    assert_sound()


def test_statuses_that_come_while_tags_are_followed_are_not_lost(bob: User, carol: User) -> None:
    """Others post, index, follow, read and lose keys meanwhile."""
    home(bob)

    def post_some() -> None:
        for _ in range(5):
            status = post_status(author=carol, text="#tea")
            status_tasks.follow_up.call(status.pk)

    def read_some() -> None:
        for _ in range(5):
            follow_tag(user=bob, name="tea")
            home(bob)
            get_client().delete(*keys_of_the_test("tag*"), "none")

    at_once(post_some, read_some, post_some, read_some)
    assert_sound()
    assert len(home(bob)) == 10
    assert_sound()


@pytest.mark.parametrize("lost", ["tag:*", "tags_followed:*", "home:*", "*"])
def test_lost_keys_come_back(bob: User, carol: User, lost: str) -> None:
    follow_tag(user=bob, name="tea")
    post(carol, "#tea")
    tag = tag_named("tea")
    assert len(home(bob)) == len(tag_timeline(tag)) == 1
    get_client().delete(*keys_of_the_test(lost))
    assert len(home(bob)) == len(tag_timeline(tag)) == 1
    assert len(followed_tags(bob)) == 1
    assert_sound()


def test_a_home_page_with_tags_costs_no_more_round_trips(
    bob: User, carol: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for name in ("tea", "cake", "coffee"):
        follow_tag(user=bob, name=name)
        for number in range(10):
            post(carol, f"#{name} {number}")
    browser = browser_of(bob)
    browser.get("/")
    with counting_round_trips() as trips, django_assert_num_queries(1):
        page = browser.get("/")
    assert page.content.count(b"<article") == 30
    assert len(trips) <= 5, trips.sent


def test_a_home_with_many_unknown_tags_is_read_in_a_few_round_trips(bob: User) -> None:
    for number in range(20):
        follow_tag(user=bob, name=f"tag{number}")
    home(bob)
    get_client().delete(*keys_of_the_test("tag:*"))
    with counting_round_trips() as trips:
        home(bob)
    assert len(trips) <= 6, "the copies are loaded together"
