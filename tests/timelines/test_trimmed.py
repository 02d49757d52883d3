"""A trimmed timeline is whole only down to its lowest id, so nothing may be put below that.

It would look whole further down than it is, and everything in between would be missing.
"""

from collections.abc import Callable
from functools import partial

import pytest
from django.utils import timezone

from lists.models import List
from lists.services import add_to_list, create_list
from redistools import keys, loaded_set
from redistools.client import get_client
from redistools.ids import first_id_at, time_of
from redistools.loaded_set import Loaded
from redistools.scripts import Batch
from relations.services import follow, unfollow
from statuses import store as status_store
from statuses.models import Status
from statuses.reading.shown import ShownStatus
from statuses.selectors import show
from statuses.services import delete_status
from taskqueue.drain import drain
from tests.cast import make_user
from tests.soundness import wrong_with_users
from timelines import fan_out, membership, pulled, selectors, store
from timelines.collecting import collect
from timelines.store import home_of
from users.models import User

Reader = Callable[..., list[ShownStatus]]


def said_before(author: User, count: int) -> list[int]:
    """Statuses that Redis has never heard of, oldest first, newer than everything so far."""
    newest = Status.objects.newest_first().first()
    first = newest.pk + 1 if newest else first_id_at(timezone.now())
    ids = range(first, first + count)
    Status.objects.bulk_create(
        Status(id=each, author=author, text="hello", created_at=time_of(each)) for each in ids
    )
    User.objects.filter(pk=author.pk).update(
        statuses_count=Status.objects.filter(author=author).count()
    )
    get_client().delete(keys.profile(author.pk))
    return list(ids)


def delete(status_ids: list[int]) -> None:
    for status in Status.objects.filter(pk__in=status_ids).select_related("author"):
        delete_status(status=status, by=status.author)
    drain()


def walk(read: Reader) -> list[int]:
    seen: list[int] = []
    while page := read(max_id=seen[-1] if seen else None, limit=100):
        seen += [status.id for status in page]
    return seen


def assert_sound(*users: User) -> None:
    again = User.objects.filter(pk__in=[user.pk for user in users])
    assert wrong_with_users(list(again)) == []


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "TIMELINE_SIZE", 10)
    monkeypatch.setattr(status_store, "PROFILE_SIZE", 10)
    monkeypatch.setattr(pulled, "PULLED_SIZE", 10)
    monkeypatch.setattr(membership, "SHALLOW", 0)


def home_gains(reader: User, *authors: User) -> Reader:
    for author in authors:
        follow(follower=reader, followee=author)
    return partial(selectors.home, reader)


def list_gains(reader: User, *authors: User) -> Reader:
    list_ = List.objects.filter(owner=reader).first() or create_list(owner=reader, name="all")
    for author in authors:
        add_to_list(list_=list_, user=author)
    return partial(selectors.list_timeline, list_)


@pytest.mark.parametrize("gains", [home_gains, list_gains])
def test_gaining_an_old_author_cuts_nothing_out(
    alice: User, carol: User, gains: Callable[..., Reader]
) -> None:
    """Deletions have made room, but statuses just above the old ones are missing."""
    reader = make_user("reader")
    old, new = said_before(alice, 50), said_before(carol, 900)
    read = gains(reader, carol)
    read()
    delete(new[-40:])
    gains(reader, alice)
    drain()
    assert_sound(reader)
    assert walk(read) == [*new[:-40][::-1], *old[::-1]]


def test_an_author_with_many_statuses_gained_during_a_build_is_not_cut_off(
    alice: User, bob: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(membership, "MERGED_AT_ONCE", 3)
    ids = said_before(carol, 5)
    _once_collected(monkeypatch, partial(follow, follower=bob, followee=carol))
    assert walk(partial(selectors.home, bob)) == ids[::-1]
    assert_sound(bob)


def test_an_author_lost_during_a_build_leaves_nothing_behind(alice: User, bob: User) -> None:
    """The home is opened again while it holds statuses of the author."""
    said_before(alice, 5)
    selectors.home(bob)
    _open_again(bob)
    unfollow(follower=bob, followee=alice)
    assert selectors.home(bob) == []


def _open_again(reader: User) -> None:
    """Like the first half of a refill."""
    store._open(get_client(), [home_of(reader.pk).key], [store.LIFETIME, 1])


def test_a_build_that_ends_while_an_author_is_lost_leaves_nothing_behind(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    said_before(alice, 5)
    selectors.home(bob)

    def unfollow_now() -> None:
        unfollow(follower=bob, followee=alice)

    _once_collected(monkeypatch, unfollow_now)
    store.build(home_of(bob.pk), again=True)
    assert selectors.home(bob) == []


def _once_collected(monkeypatch: pytest.MonkeyPatch, action: Callable[[], object]) -> None:
    """The action is done between the two halves of the next build."""
    waiting = [action]

    def collect_and_wait(author_ids: list[int], *, limit: int) -> Loaded:
        newest = collect(author_ids, limit=limit)
        while waiting:
            waiting.pop()()
        return newest

    monkeypatch.setattr(store, "collect", collect_and_wait)


@pytest.mark.usefixtures("small")
def test_an_old_status_that_is_read_again_cuts_nothing_out_of_a_profile(alice: User) -> None:
    ids = said_before(alice, 20)
    assert selectors.profile(alice, limit=3)
    show([ids[0]], viewer=None)
    assert_sound(alice)
    assert walk(partial(selectors.profile, alice)) == ids[::-1]


@pytest.mark.usefixtures("small")
def test_an_old_status_that_is_read_while_a_profile_is_loaded_cuts_nothing_out(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids, read = said_before(alice, 20), status_store.profile_in_sql

    def read_and_wait(author_id: int, *, limit: int | None = None) -> Loaded:
        show([ids[0]], viewer=None)
        return read(author_id, limit=limit)

    monkeypatch.setattr(status_store, "profile_in_sql", read_and_wait)
    assert selectors.profile(alice)
    assert_sound(alice)
    assert walk(partial(selectors.profile, alice)) == ids[::-1]


def test_a_set_that_is_being_loaded_keeps_its_mark_however_much_comes_in(key_prefix: str) -> None:
    client, key = get_client(), keys.profile(1)

    def read() -> Loaded:
        batch = Batch(client)
        for member in range(1, 100):
            loaded_set.put(batch, key, member, member, cap=10)
        batch.run()
        assert not loaded_set.known(client, [key])
        return Loaded({member: member for member in range(90, 100)}, whole=False)

    loaded_set.load(client, key, read)
    assert loaded_set.members(client, key) == list(range(90, 100))


@pytest.mark.usefixtures("small")
def test_what_deletions_left_of_a_profile_is_not_taken_for_all_there_is(
    alice: User, bob: User
) -> None:
    """The profile is trimmed to 10 and shortened to 4; a home, and a follow, need more."""
    ids = said_before(alice, 20)
    selectors.profile(alice)
    delete(ids[-6:])
    assert walk(partial(selectors.home, bob)) == ids[:-6][::-1]
    assert status_store.newest_ids(alice.pk, 8) == ids[:-6][::-1][:8]
    assert status_store.ids_from(alice.pk, ids[2]) == ids[2:-6][::-1]
    assert_sound(bob)


@pytest.mark.usefixtures("small")
def test_a_late_delivery_cuts_nothing_out_of_a_pulled_authors_copies(
    alice: User, bob: User
) -> None:
    selectors.home(bob)
    ids = said_before(alice, 20)
    User.objects.filter(pk=alice.pk).update(is_pulled=True)
    pulled.set_mode(alice.pk, pulled.PULL)
    pulled.ensure_copies(alice.pk)
    fan_out.deliver(fan_out.all_legs(User.objects.get(pk=alice.pk)), ids[0], budget=100)
    assert walk(partial(selectors.home, bob)) == ids[::-1]
    assert_sound(bob)
