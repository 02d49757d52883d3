"""What Redis holds of notifications: lost, wrong, trimmed, or written by two at once."""

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

import pytest
from django.core.management import call_command
from django.db import transaction

from notifications import selectors, store, tasks
from notifications.models import Notification
from redistools import keys
from redistools.client import get_client
from redistools.loaded_set import writing
from statuses.reactions.services import like, unlike
from taskqueue.drain import drain
from tests.cast import make_user
from tests.notifications.reading import Told, assert_sound, at_once, rows_of, say, told, unread
from tests.redis_keys import keys_of_the_test
from upkeep import checking
from users.models import User


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "PATIENCE_SECONDS", 0)


@contextmanager
def dying_after_the_commit() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transaction, "on_commit", lambda *_args, **_kwargs: None)
        yield


def check(*options: str) -> list[str]:
    out = io.StringIO()
    with suppress(SystemExit):
        call_command("check_timelines", *options, stdout=out, stderr=io.StringIO())
    return [line for line in out.getvalue().splitlines() if "agrees" not in line]


def lose(pattern: str) -> None:
    for name in keys_of_the_test(pattern):
        get_client().unlink(name)


@pytest.mark.parametrize("pattern", ["notification:*", "notifications:*", "notification*"])
def test_lost_keys_come_back(alice: User, carol: User, pattern: str) -> None:
    like(user=carol, status=say(alice))
    say(carol, "@alice")
    before = told(alice)
    assert len(before) == 2
    lose(pattern)
    assert told(alice) == before
    assert_sound()


def test_an_id_without_a_row_is_dropped(alice: User, carol: User) -> None:
    say(carol, "@alice")
    assert len(told(alice)) == 1
    get_client().zadd(keys.notifications(alice.pk), {"4711": 2**52})
    assert len(told(alice)) == 1
    assert get_client().zscore(keys.notifications(alice.pk), "4711") is None


def test_a_hash_does_not_live_for_ever(alice: User, carol: User) -> None:
    say(carol, "@alice")
    drain()
    [row] = rows_of(alice)
    assert store.LIFETIME <= get_client().ttl(keys.notification(row.pk)) < store.LIFETIME + 86_400


@pytest.mark.parametrize("died", ["first", "second"])
def test_a_worker_that_dies_after_the_commit_leaves_nothing_wrong(
    alice: User, carol: User, died: str
) -> None:
    """Of a new like, or of its removal: the outbox knows what is left to do."""
    status = say(alice)
    told(alice)  # Redis knows the set
    like(user=carol, status=status)
    if died == "first":
        with dying_after_the_commit():
            tasks.likes_changed.call(status.id)
    assert told(alice) == [Told("like", ["carol"])]
    unlike(user=carol, status_id=status.id)
    if died == "second":
        with dying_after_the_commit():
            tasks.likes_changed.call(status.id)
    assert told(alice) == []
    assert keys_of_the_test("notification:*") == []
    assert_sound()


def test_a_row_that_says_something_wrong_is_found_and_repaired(alice: User, carol: User) -> None:
    status = say(alice)
    like(user=carol, status=status)
    say(carol, "@alice")
    drain()
    Notification.objects.filter(kind="like").update(count=12)
    Notification.objects.filter(kind="mention").update(subject=status.id)
    assert len(check()) == 4, "two rows, and their hashes"
    check("--repair")
    assert check() == []
    assert told(alice) == [Told("like", ["carol"])]


def test_a_wrong_number_of_unread_ones_is_found_and_repaired(alice: User, carol: User) -> None:
    say(carol, "@alice")
    assert unread(alice) == 1
    User.objects.filter(pk=alice.pk).update(unread_notifications=7)
    assert check() == ["counters of @alice: unread_notifications 7 instead of 1"]
    check("--repair")
    assert unread(alice) == 1


def test_a_rebuild_brings_everything_back(alice: User, carol: User) -> None:
    like(user=carol, status=say(alice))
    before = told(alice)
    [row] = rows_of(alice)
    get_client().hset(keys.notification(row.pk), "count", 99)
    call_command("rebuild_timelines", stdout=io.StringIO())
    assert told(alice) == before
    assert check() == []


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "SIZE", 3)
    monkeypatch.setattr(writing, "SLACK", 1)


@pytest.mark.usefixtures("small")
def test_news_move_up_and_what_is_taken_back_moves_down(alice: User, carol: User) -> None:
    """Down even below what Redis still knows."""
    dave = make_user("dave")
    statuses = [say(alice, f"number {number}") for number in range(8)]
    for status in statuses:
        like(user=dave, status=status)
        drain()
    assert order(alice) == [7, 6, 5, 4, 3, 2, 1, 0]
    for number in (0, 3, 7):
        like(user=carol, status=statuses[number])
        drain()
    assert order(alice) == [7, 3, 0, 6, 5, 4, 2, 1]
    for number in (3, 0):
        unlike(user=carol, status_id=statuses[number].id)
        drain()
        assert_sound()
    assert order(alice) == [7, 6, 5, 4, 3, 2, 1, 0]
    assert_sound()


def order(user: User) -> list[int]:
    """What the notifications are about."""
    shown = selectors.everything(user).notifications
    return [int(it.status.text.split()[1]) for it in shown if it.status]


def after(
    monkeypatch: pytest.MonkeyPatch, module: object, name: str, act: Callable[[], object]
) -> None:
    """The action runs once, right after the function."""
    real, waiting = getattr(module, name), [act]

    def wrapper(*args: object, **kwargs: object) -> object:
        result = real(*args, **kwargs)
        while waiting:
            waiting.pop()()
        return result

    monkeypatch.setattr(module, name, wrapper)


@pytest.mark.parametrize("reaction", ["like", "unlike"])
def test_a_change_during_a_load_is_not_undone(
    alice: User, carol: User, monkeypatch: pytest.MonkeyPatch, reaction: str
) -> None:
    """The load has read the old position already."""
    status, dave = say(alice, "number 1"), make_user("dave")
    like(user=dave, status=status)
    if reaction == "unlike":
        like(user=carol, status=status)
    like(user=dave, status=say(alice, "number 2"))
    drain()
    lose("notifications:*")

    def change() -> None:
        if reaction == "like":
            like(user=carol, status=status)
        else:
            unlike(user=carol, status_id=status.id)
        drain()

    after(monkeypatch, store, "in_sql", change)
    assert order(alice) == ([1, 2] if reaction == "like" else [2, 1])
    assert_sound()


def test_a_removal_while_a_lost_hash_is_restored_is_not_undone(alice: User, carol: User) -> None:
    status = say(alice)
    for _ in range(5):
        like(user=carol, status=status)
        drain()
        [row] = rows_of(alice)
        lose("notification:*")
        at_once(
            partial(store.refresh, alice.pk, [row.pk]),
            partial(store.find, alice.pk, [row.pk]),
            partial(take_back, carol, status.id),
        )
        assert told(alice) == []
        assert keys_of_the_test("notification:*") == []


def take_back(user: User, status_id: int) -> None:
    unlike(user=user, status_id=status_id)
    drain()


@pytest.mark.usefixtures("site_on_a_cluster")
def test_it_works_on_a_cluster(alice: User, carol: User) -> None:
    like(user=carol, status=say(alice))
    say(carol, "@alice")
    assert [it.kind for it in told(alice)] == ["mention", "like"]
