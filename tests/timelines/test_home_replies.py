"""Replies in a home: only those to people whom the reader follows, to the reader, and their own."""

from functools import partial
from random import Random

import pytest

from redistools import keys
from redistools.client import get_client
from relations.services import follow, hide_boosts, unfollow
from statuses import store as status_store
from statuses.models import Status
from statuses.reactions.services import boost
from statuses.reading.shown import ShownStatus
from statuses.selectors import show
from statuses.services import delete_status, post_status
from statuses.visibility.rules import HomeRules
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from tests.round_trips import counting_round_trips
from tests.statuses.trees import answer, grow, shown
from timelines import store
from timelines.reading.home_rules import hidden_in_sql
from timelines.selectors import home
from users.models import User
from users.services import delete_account, restore, suspend


def said(user: User) -> list[str]:
    return texts(home(user))


def texts(page: list[ShownStatus]) -> list[str]:
    return [status.text for status in page]


def test_replies_to_strangers_are_hidden_until_one_follows_them(
    alice: User, bob: User, carol: User
) -> None:
    answer(alice, post_status(author=carol, text="by carol"), "to carol")
    assert said(bob) == []
    assert said(alice) == ["to carol"]
    follow(follower=bob, followee=carol)
    assert said(bob) == ["to carol", "by carol"]
    unfollow(follower=bob, followee=carol)
    assert said(bob) == []


def test_replies_to_the_reader_and_by_the_reader_show(alice: User, bob: User, carol: User) -> None:
    mine = post_status(author=bob, text="by bob")
    answer(alice, mine, "to bob")
    answer(bob, post_status(author=carol, text="by carol"), "to carol")
    assert said(bob) == ["to carol", "to bob", "by bob"]
    answer(carol, mine, "carol to bob")
    assert "carol to bob" not in said(bob), "bob does not follow carol"


def test_a_thread_by_one_author_shows_whole(alice: User, bob: User) -> None:
    first = post_status(author=alice, text="one")
    second = answer(alice, first, "two")
    answer(alice, second, "three")
    assert said(bob) == ["three", "two", "one"]


def test_who_is_answered_counts_and_not_who_began_the_thread(
    alice: User, bob: User, carol: User
) -> None:
    first = post_status(author=carol, text="by carol")
    second = answer(alice, first, "alice to carol")
    answer(alice, second, "alice to alice")
    third = answer(carol, second, "carol to alice")
    answer(alice, third, "alice to carol again")
    assert said(bob) == ["alice to alice"]


def test_a_deleted_parent_changes_nothing(alice: User, bob: User, carol: User) -> None:
    stranger = post_status(author=carol, text="by carol")
    friend = post_status(author=bob, text="by bob")
    answer(alice, stranger, "to carol")
    answer(alice, friend, "to bob")
    delete_status(status=stranger, by=carol)
    delete_status(status=friend, by=bob)
    drain()
    assert said(bob) == ["to bob"]
    follow(follower=bob, followee=carol)
    assert said(bob) == ["to bob", "to carol"]


def test_replies_to_a_suspended_account_follow_the_same_rule(
    alice: User, bob: User, carol: User
) -> None:
    answer(alice, post_status(author=carol, text="by carol"), "to carol")
    suspend(user=carol)
    assert said(bob) == []
    restore(user=carol)
    follow(follower=bob, followee=carol)
    suspend(user=carol)
    assert said(bob) == ["to carol"]
    page = browser_of(bob).get("/").content.decode()
    assert "Replying to an account that is not available" in page
    assert "/@carol/" not in page
    restore(user=carol)
    assert said(bob) == ["to carol", "by carol"]


def test_replies_to_a_deleted_account_are_hidden_from_others(
    alice: User, bob: User, carol: User
) -> None:
    follow(follower=bob, followee=carol)
    answer(alice, post_status(author=carol, text="by carol"), "to carol")
    assert said(bob) == ["to carol", "by carol"]
    delete_account(user=carol)
    drain()
    assert said(bob) == []
    assert said(alice) == ["to carol"]


def test_a_boosted_reply_shows_whomever_it_answers(alice: User, bob: User, carol: User) -> None:
    reply = answer(carol, post_status(author=make_user("dave"), text="by dave"), "to dave")
    boost(user=alice, status=shown(reply).status)
    assert said(bob) == ["to dave"]


def test_a_home_that_is_built_again_hides_the_same(alice: User, bob: User, carol: User) -> None:
    answer(alice, post_status(author=carol, text="by carol"), "to carol")
    post_status(author=alice, text="by alice")
    assert said(bob) == ["by alice"]
    get_client().delete(keys.home(bob.pk), keys.following(bob.pk))
    assert said(bob) == ["by alice"]
    assert get_client().llen(keys.home(bob.pk)) == 3, "two statuses and a mark"


@pytest.mark.parametrize("limit", [1, 4, 30])
@pytest.mark.parametrize("seed", range(3))
def test_pages_are_full_and_without_a_seam_down_into_sql(
    alice: User, bob: User, carol: User, monkeypatch: pytest.MonkeyPatch, seed: int, limit: int
) -> None:
    monkeypatch.setattr(store, "TIMELINE_SIZE", 12)
    monkeypatch.setattr(status_store, "PROFILE_SIZE", 12)
    chance = Random(seed)
    parents = [post_status(author=who, text=f"by {who}") for who in (alice, bob, carol)]
    said(bob)
    wanted = ["by @bob", "by @alice"]
    for number in range(40):
        parent = chance.choice([None, *parents, parents[-1], parents[-1]])
        if parent is None:
            post_status(author=alice, text=f"{number}")
        else:
            answer(alice, parent, f"{number}")
        if parent is None or parent.author != carol:
            wanted.insert(0, f"{number}")
    read = partial(home, bob, limit=limit)
    down: list[ShownStatus] = []
    while page := read(max_id=down[-1].id if down else None):
        assert len(page) == min(limit, len(wanted) - len(down))
        down += page
    up: list[ShownStatus] = []
    while page := read(min_id=up[0].id if up else 1):
        up = page + up
    assert texts(down) == texts(up) == wanted


def test_thousands_of_hidden_replies_are_passed_in_a_few_steps(
    alice: User, bob: User, carol: User
) -> None:
    """Some hundred in Redis, the rest only in SQL."""
    post_status(author=alice, text="below the heap")
    grow(alice, post_status(author=carol, text="by carol"), [None] * 5_000)
    Status.objects.filter(reply_to__isnull=False).update(reply_to_author=carol)
    User.objects.filter(pk=alice.pk).update(statuses_count=5_001)
    home(bob)
    with counting_round_trips() as trips:
        assert said(bob) == ["below the heap"]
    assert len(trips) <= 18, len(trips)


def test_hidden_boosts_are_passed_below_what_redis_keeps_too(
    alice: User, bob: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "TIMELINE_SIZE", 5)
    said(bob)
    post_status(author=alice, text="at the bottom")
    for number in range(20):
        boost(user=alice, status=shown(post_status(author=carol, text=f"{number}")).status)
    assert len(said(bob)) == 21
    hide_boosts(follower=bob, followee=alice, hidden=True)
    assert said(bob) == ["at the bottom"]


@pytest.mark.parametrize("seed", range(3))
def test_sql_and_redis_apply_the_same_rules(alice: User, bob: User, carol: User, seed: int) -> None:
    """To anything, also by people whom the reader does not follow."""
    chance = Random(seed)
    people = [alice, bob, carol, make_user("dave")]
    statuses = [post_status(author=who, text="first") for who in people]
    for number in range(40):
        author, parent = chance.choice(people), chance.choice([None, *statuses])
        text = f"number {number}"
        said = answer(author, parent, text) if parent else post_status(author=author, text=text)
        statuses.append(said)
    boost(user=alice, status=shown(statuses[3]).status)
    hide_boosts(follower=bob, followee=alice)
    everything = Status.objects.all()
    ids = set(everything.values_list("pk", flat=True))
    found = show(sorted(ids), viewer=bob, rules=HomeRules()).statuses
    hidden = ids - {status.id for status in found}
    assert hidden_in_sql(bob, ids) == hidden
    assert 1 < len(hidden) < len(ids) - 10


def test_a_reply_costs_a_home_page_one_more_round_trip(alice: User, bob: User) -> None:
    mine = post_status(author=bob, text="by bob")
    for _ in range(30):
        answer(alice, mine, "to bob")
    browser = browser_of(bob)
    browser.get("/")
    with counting_round_trips() as trips:
        browser.get("/")
    assert len(trips) <= 5, trips.sent
