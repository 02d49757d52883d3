"""A status that many boost is shown once within a short way, on pages of any size."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import pytest
from pytest_django import Settings

from redistools import keys
from redistools.client import get_client
from redistools.ids import time_of
from relations.models import Follow, follow_ids
from relations.services import follow
from statuses.models import Status, status_ids
from statuses.reactions.services import boost
from statuses.reading.shown import ShownStatus
from tests.cast import make_user
from tests.round_trips import counting_round_trips
from tests.timelines.boosting import entries, said
from timelines import pulled
from timelines import store as timelines
from timelines.reading import home_paging
from timelines.reading.home_paging import NEAR
from timelines.selectors import home
from users.models import User
from users.services import suspend


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
        near = home_paging.NEAR
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
    monkeypatch.setattr(home_paging, "NEAR", near)
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
    monkeypatch.setattr(home_paging, "NEAR", 3)
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
    monkeypatch.setattr(home_paging, "NEAR", 12)
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
