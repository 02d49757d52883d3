"""Boosts in timelines: shown as what they boost, once within a short way, and gone with it."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import pytest
from django.test import Client
from pytest_django import Settings

from lists.services import add_to_list, create_list
from redistools import keys
from redistools.client import get_client
from redistools.ids import time_of
from relations.models import Follow, follow_ids
from relations.selectors import Bond, bond_with
from relations.services import follow, hide_boosts, unfollow
from relations.viewpoint import viewpoint_of
from statuses import store
from statuses.deeds import boost, like, unboost
from statuses.models import Like, Status, like_ids, status_ids
from statuses.removing import removal
from statuses.services import delete_status, post_status
from statuses.shown import ShownStatus
from statuses.stored import StoredStatus
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from tests.round_trips import counting_round_trips
from tests.soundness import wrong_with_statuses, wrong_with_users
from timelines import home_rules, paging, pulled
from timelines import store as timelines
from timelines.home_rules import NEAR
from timelines.selectors import home, list_timeline, profile
from users.models import User
from users.services import restore, suspend
from users.store import read_users


def said(author: User, text: str) -> StoredStatus:
    status = post_status(author=author, text=text)
    return store.read_statuses([status.pk])[status.pk]


def entries(timeline: Sequence[ShownStatus]) -> list[tuple[str, str]]:
    """Who passed it on, and what it says."""
    return [(it.boost.username if it.boost else "", it.text) for it in timeline]


def assert_sound() -> None:
    drain()
    assert wrong_with_users(list(User.objects.all())) == []
    assert wrong_with_statuses(list(Status.objects.values_list("pk", flat=True))) == []


def test_a_boost_shows_its_original_and_who_passed_it_on(
    alice: User, bob: User, carol: User
) -> None:
    """bob follows alice, who boosts what carol says."""
    reading = create_list(owner=carol, name="Reading")
    add_to_list(list_=reading, user=alice)
    home(bob)
    status = said(carol, "tea")
    boost(user=alice, status=status)
    for timeline in (home(bob), home(alice), profile(alice), list_timeline(reading)):
        assert entries(timeline) == [("alice", "tea")]
        (entry,) = timeline
        assert (entry.status.id, entry.username) == (status.id, "carol")
        assert entry.id != status.id
    for reader, address in ((bob, "/"), (bob, "/@alice/"), (carol, f"/lists/{reading.pk}/")):
        page = browser_of(reader).get(address).content.decode()
        assert "<bdi>Alice Liddell</bdi></a> boosted" in page
        assert f'formaction="/statuses/{status.id}/like/"' in page
        assert f'href="/@carol/{status.id}/"' in page
    assert_sound()


def test_an_undone_boost_leaves_every_timeline(alice: User, bob: User, carol: User) -> None:
    home(bob)
    status = said(carol, "tea")
    boost(user=alice, status=status)
    assert entries(home(bob)) == [("alice", "tea")]
    assert unboost(user=alice, status_id=status.id)
    assert home(bob) == profile(alice) == home(alice) == []
    assert entries(profile(carol)) == [("", "tea")]
    boost(user=alice, status=status)
    assert entries(home(bob)) == [("alice", "tea")]
    assert_sound()


def test_deleting_the_original_takes_its_boosts_along(
    alice: User, bob: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(removal, "PART", 2)
    fans = [make_user(f"fan{n}") for n in range(5)]
    status = said(carol, "tea")
    for user in (alice, bob, *fans):
        home(user)
        boost(user=user, status=status)
        like(user=user, status=status)
    delete_status(status=Status.objects.get(pk=status.id), by=carol)
    for user in (alice, bob, *fans):
        assert home(user) == profile(user) == [], "at once"
    drain()
    assert not Status.objects.exists()
    assert not Like.objects.exists()
    for user in (alice, bob, *fans):
        user.refresh_from_db()
        assert user.statuses_count == read_users([user.pk])[user.pk].posts == 0
        assert get_client().lrange(keys.home(user.pk), 0, -1) == ["0"]
    assert_sound()


def test_a_boost_of_a_suspended_author_is_hidden_until_they_are_back(
    alice: User, bob: User, carol: User
) -> None:
    boost(user=alice, status=said(carol, "tea"))
    suspend(user=carol)
    assert home(bob) == profile(alice) == []
    assert_sound()
    restore(user=carol)
    assert entries(home(bob)) == entries(profile(alice)) == [("alice", "tea")]


def test_a_boost_of_what_is_lost_in_redis_is_shown(alice: User, bob: User, carol: User) -> None:
    status = said(carol, "tea")
    boost(user=alice, status=status)
    home(bob)
    get_client().delete(keys.status(status.id))
    assert entries(home(bob)) == [("alice", "tea")]
    assert_sound()


def test_a_home_page_with_boosts_costs_one_round_trip_more(
    alice: User, bob: User, carol: User
) -> None:
    for number in range(10):
        boost(user=alice, status=said(carol, f"{number}"))
    browser = browser_of(bob)
    browser.get("/")
    with counting_round_trips() as trips:
        assert browser.get("/").content.decode().count("boosted</p>") == 10
    assert len(trips) <= 4, trips.sent


# Hiding somebody's boosts.


def test_boosts_of_somebody_can_be_hidden_and_shown_again(
    alice: User, bob: User, carol: User
) -> None:
    status = said(carol, "tea")
    boost(user=alice, status=status)
    said(alice, "my own")
    browser = browser_of(bob)
    page = browser.get("/@alice/").content.decode()
    assert 'action="/@alice/hide_boosts/"' in page
    answer = browser.post("/@alice/hide_boosts/", {"next": "/@alice/"})
    assert (answer.status_code, answer["Location"]) == (302, "/@alice/")
    assert entries(home(bob)) == [("", "my own")]
    assert entries(profile(alice)) == [("", "my own"), ("alice", "tea")], "only in the home"
    assert 'action="/@alice/show_boosts/"' in browser.get("/@alice/").content.decode()
    browser.post("/@alice/hide_boosts/")
    browser.post("/@alice/show_boosts/")
    assert entries(home(bob)) == [("", "my own"), ("alice", "tea")]
    assert_sound()


def test_hiding_is_about_those_one_follows(
    client: Client, alice: User, bob: User, carol: User
) -> None:
    assert "_boosts/" not in browser_of(carol).get("/@alice/").content.decode()
    assert browser_of(carol).post("/@alice/hide_boosts/").status_code == 302
    assert bond_with(carol, alice) == Bond()
    assert browser_of(bob).post("/@nobody_/hide_boosts/").status_code == 404
    assert client.post("/@alice/hide_boosts/")["Location"].startswith("/login/")
    assert browser_of(bob).get("/@alice/hide_boosts/").status_code == 405
    suspend(user=alice)
    assert browser_of(bob).post("/@alice/hide_boosts/").status_code == 404


def test_a_new_follow_shows_boosts_again(alice: User, bob: User, carol: User) -> None:
    boost(user=alice, status=said(carol, "tea"))
    assert hide_boosts(follower=bob, followee=alice) is True
    assert hide_boosts(follower=bob, followee=alice) is False
    assert bond_with(bob, alice) == Bond(follows=True, hides_boosts=True)
    unfollow(follower=bob, followee=alice)
    assert bond_with(bob, alice) == Bond()
    follow(follower=bob, followee=alice)
    assert bond_with(bob, alice) == Bond(follows=True)
    assert entries(home(bob)) == [("alice", "tea")]
    assert_sound()


def test_a_lost_viewpoint_is_loaded_again(alice: User, bob: User, carol: User) -> None:
    boost(user=alice, status=said(carol, "tea"))
    hide_boosts(follower=bob, followee=alice)
    assert home(bob) == []
    get_client().delete(keys.viewpoint(bob.pk))
    assert home(bob) == []
    assert viewpoint_of(bob.pk).boosts_hidden == {alice.pk}
    assert_sound()


# Once within a short way.


@dataclass
class Entry:
    """What an oracle knows of an entry: not from Redis, and not by the code it judges."""

    id: int
    original: int
    is_hidden: bool


@dataclass
class Site:
    """A reader, those they follow, and what all of them said and boosted."""

    reader: User
    entries: list[Entry]

    def expected(self) -> list[int]:
        """An entry shows unless one of the `near` entries above it shows or repeats the same."""
        near = home_rules.NEAR
        return [
            it.id
            for place, it in enumerate(self.entries)
            if not it.is_hidden
            and not any(
                other.original == it.original and not other.is_hidden
                for other in self.entries[max(0, place - near) : place]
            )
        ]


def make_site(choice: random.Random, *, size: int, hides: bool) -> Site:
    reader = make_user("reader")
    people = [make_user(f"user{n}") for n in range(8)]
    stranger = make_user("stranger")
    hidden = set(people[:2]) if hides else set()
    Follow.objects.bulk_create(
        Follow(
            id=follow_ids.next(get_client()),
            follower=reader,
            followee=user,
            hides_boosts=user in hidden,
        )
        for user in people
    )
    User.objects.filter(pk=reader.pk).update(following_count=len(people))
    User.objects.filter(pk__in=[user.pk for user in people]).update(followers_count=1)
    rows: list[Status] = [new_status(stranger) for _ in range(5)]
    boosted: set[tuple[int, int]] = set()
    found: list[Entry] = []
    while len(found) < size:
        author = choice.choice([*people, reader])
        originals = [row for row in rows if row.boost_of_id is None][-choice.choice([3, 9, 60]) :]
        wanted = choice.choice(originals)
        if choice.random() < 0.6 and (author.pk, wanted.pk) not in boosted:
            row = new_status(author, boost_of_id=wanted.pk)
            boosted.add((author.pk, wanted.pk))
            found.append(Entry(row.pk, wanted.pk, is_hidden=author in hidden))
        elif hides and choice.random() < 0.3:
            row = new_status(author, reply_to_id=rows[0].pk, reply_to_author_id=stranger.pk)
            found.append(Entry(row.pk, row.pk, is_hidden=author != reader))
        else:
            row = new_status(author)
            found.append(Entry(row.pk, row.pk, is_hidden=False))
        rows.append(row)
    Status.objects.bulk_create(rows)
    return Site(reader, found[::-1])


def new_status(author: User, **fields: object) -> Status:
    status_id = status_ids.next(get_client())
    text = "" if "boost_of_id" in fields else f"number {status_id}"
    made = {"id": status_id, "author": author, "text": text, "created_at": time_of(status_id)}
    return Status(**made, **fields)


Read = Callable[..., list[ShownStatus]]


def walk_down(read: Read, sizes: random.Random) -> list[int]:
    """As a reader would who turns pages of any size. Each is full but the last."""
    ids: list[int] = []
    while True:
        limit = sizes.choice([1, 2, 7, 30])
        page = read(max_id=ids[-1] if ids else None, limit=limit)
        ids += [it.id for it in page]
        if len(page) < limit:
            return ids


def walk_up(read: Read, sizes: random.Random, *, start: int) -> list[int]:
    ids: list[int] = []
    while True:
        limit = sizes.choice([1, 2, 7, 30])
        page = read(min_id=ids[0] if ids else start, limit=limit)
        ids = [*(it.id for it in page), *ids]
        if len(page) < limit:
            return ids


@pytest.fixture(params=["in Redis", "across the seam", "pulled"])
def site_kind(
    request: pytest.FixtureRequest, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> str:
    """Redis keeps the whole home, or some of it; or some authors are merged in."""
    if request.param != "in Redis":
        monkeypatch.setattr(timelines, "TIMELINE_SIZE", 25)
    if request.param == "pulled":
        settings.PULL_THRESHOLD = 1
        monkeypatch.setattr(pulled, "PULLED_SIZE", 12)
    return str(request.param)


@pytest.mark.usefixtures("transactional_db")
@pytest.mark.parametrize("near", [3, 40])
@pytest.mark.parametrize("hides", [False, True], ids=["everything", "some hidden"])
@pytest.mark.parametrize("seed", range(2))
def test_pages_of_any_size_show_each_status_once_within_a_short_way(
    site_kind: str, near: int, hides: bool, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(home_rules, "NEAR", near)
    monkeypatch.setattr(paging, "NEAR", near)
    choice = random.Random(f"{near} {hides} {seed}")
    site = make_site(choice, size=120, hides=hides)
    if site_kind == "pulled":
        User.objects.filter(username__in=("user1", "user4")).update(is_pulled=True)
    expected = site.expected()
    assert 10 < len(expected) < 120
    read = partial(home, site.reader)
    assert walk_down(read, choice) == expected
    assert walk_up(read, choice, start=0) == expected
    for _ in range(5):
        middle = choice.choice(expected)
        place = expected.index(middle)
        below = [it.id for it in read(max_id=middle, limit=9)]
        assert below == expected[place + 1 : place + 10]
        above = [it.id for it in read(min_id=middle, limit=9)]
        assert above == expected[max(0, place - 9) : place]
        since = [it.id for it in read(since_id=middle, limit=200)]
        assert since == expected[:place]
    shown = {it.status.id for it in read(limit=200)}
    assert shown == {it.original for it in site.entries if not it.is_hidden}, "nothing is lost"


@pytest.mark.usefixtures("transactional_db")
def test_a_status_that_many_boost_in_a_row_shows_once_and_costs_little() -> None:
    reader, author = make_user("reader"), make_user("author")
    crowd = [make_user(f"user{n}") for n in range(300)]
    rows = [new_status(author)]
    rows += [new_status(user, boost_of_id=rows[0].pk) for user in crowd]
    Status.objects.bulk_create([*rows, new_status(crowd[0])])
    Follow.objects.bulk_create(
        Follow(id=follow_ids.next(get_client()), follower=reader, followee=user)
        for user in (author, *crowd)
    )
    newest, first = home(reader)
    assert (newest.boost, first.status.id, first.id) == (None, rows[0].pk, rows[-1].pk)
    assert home(reader, max_id=first.id) == []
    with counting_round_trips() as trips:
        assert len(home(reader)) == 2
    assert len(trips) <= 12, trips.sent


def test_what_stands_further_up_is_shown_again(alice: User, bob: User, carol: User) -> None:
    status = said(alice, "tea")
    boost(user=alice, status=status)
    assert entries(home(bob)) == [("alice", "tea")]
    for number in range(NEAR):
        said(alice, f"{number}")
    follow(follower=bob, followee=carol)
    boost(user=carol, status=status)
    texts = [it.text for it in home(bob, limit=100)]
    assert texts.count("tea") == 2
    assert home(bob)[0].id == Status.objects.get(author=carol).pk


@pytest.mark.parametrize("size", [3, 800], ids=["mostly SQL", "all in Redis"])
def test_what_is_hidden_keeps_two_boosts_of_a_status_apart(
    alice: User, bob: User, carol: User, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the home is read from Redis or from SQL."""
    monkeypatch.setattr(timelines, "TIMELINE_SIZE", size)
    monkeypatch.setattr(home_rules, "NEAR", 3)
    monkeypatch.setattr(paging, "NEAR", 3)
    dave = make_user("dave")
    for followee in (carol, dave):
        follow(follower=bob, followee=followee)
    home(bob)
    status = said(alice, "tea")
    for number in range(3):
        said(dave, f"{number}")
    boost(user=carol, status=status)
    for number in range(4):
        said(alice, f"{number}")
    suspend(user=dave)
    get_client().delete(keys.home(bob.pk))
    assert entries(home(bob))[-2:] == [("carol", "tea"), ("", "tea")]


@pytest.mark.usefixtures("transactional_db")
def test_nothing_is_lost_where_some_are_suspended(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first one always shows."""
    monkeypatch.setattr(timelines, "TIMELINE_SIZE", 30)
    monkeypatch.setattr(home_rules, "NEAR", 12)
    monkeypatch.setattr(paging, "NEAR", 12)
    choice = random.Random(5)
    site = make_site(choice, size=150, hides=False)
    suspended = User.objects.get(username="user3")
    suspend(user=suspended)
    theirs = set(Status.objects.filter(author=suspended).values_list("pk", flat=True))
    visible = {it.original for it in site.entries if not {it.id, it.original} & theirs}
    ids = walk_down(partial(home, site.reader), choice)
    assert len(ids) == len(set(ids))
    assert ids == sorted(ids, reverse=True)
    originals = {it.id: it.original for it in site.entries}
    assert {originals[it] for it in ids} == visible


def test_likes_of_many_are_removed_in_parts(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(removal, "PART", 10)
    status = said(alice, "popular")
    people = [make_user(f"user{n}") for n in range(35)]
    Like.objects.bulk_create(
        Like(id=like_ids.next(get_client()), user=user, status_id=status.id) for user in people
    )
    delete_status(status=Status.objects.get(pk=status.id), by=alice)
    assert Like.objects.count() == 35, "the request does not wait for them"
    drain()
    assert not Like.objects.exists()
