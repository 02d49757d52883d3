"""A deleted account takes along what it liked, boosted and answered, and what belonged to its
statuses. Others keep their threads.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from redistools import keys
from redistools.client import get_client
from redistools.ids import time_of
from relations.blocks_and_mutes.services import block, mute
from relations.blocks_and_mutes.viewpoint import NOBODY, viewpoint_of
from relations.services import hide_boosts
from statuses import store
from statuses.models import (
    Bookmark,
    Gap,
    Like,
    Status,
    StatusVersion,
    bookmark_ids,
    like_ids,
    status_ids,
)
from statuses.reactions.services import bookmark, boost, like
from statuses.selectors import show
from statuses.services import delete_status, edit_status, post_status
from statuses.stored import StoredStatus
from taskqueue import start
from taskqueue.drain import drain
from tests.cast import make_user
from tests.races import in_threads
from tests.redis_keys import contents_of, keys_of_the_test
from timelines.index import indexing
from timelines.selectors import home, profile
from upkeep import checking
from users.models import User
from users.services import delete_account
from users.store import read_users, refresh_users

MANY, SOME = 1_100, 60


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "PATIENCE_SECONDS", 0)


def differences() -> list[str]:
    out = io.StringIO()
    call_command("check_timelines", stdout=out)
    return [line for line in out.getvalue().splitlines() if "Redis agrees with SQL" not in line]


@contextmanager
def dying_after_the_commit() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transaction, "on_commit", lambda *_args, **_kwargs: None)
        yield


def said(author: User, text: str, reply_to: StoredStatus | None = None) -> StoredStatus:
    status = post_status(author=author, text=text, reply_to=reply_to.id if reply_to else None)
    return store.read_statuses([status.pk])[status.pk]


def counts(status: StoredStatus) -> tuple[int, int, int]:
    """Likes, boosts and replies, of which SQL and Redis say the same."""
    row = Status.objects.get(pk=status.id)
    in_sql = (row.likes_count, row.boosts_count, row.replies_count)
    held = get_client().hmget(keys.status(status.id), "likes", "boosts", "replies")
    assert tuple(int(number or -1) for number in held) == in_sql
    return in_sql


@pytest.mark.parametrize("dies", [False, True], ids=["at once", "by a worker"])
def test_what_it_did_is_no_longer_counted(alice: User, bob: User, carol: User, dies: bool) -> None:
    one, two = said(alice, "one"), said(alice, "two")
    for user in (bob, carol):
        for status in (one, two):
            like(user=user, status=status)
        boost(user=user, status=one)
        bookmark(user=user, status=one)
        for number in range(3):
            said(user, f"reply {number}", reply_to=one)
    assert (counts(one), counts(two)) == ((2, 2, 6), (2, 0, 0))
    user_id = carol.pk
    if dies:
        with dying_after_the_commit():
            delete_account(user=carol)
        drain(now=time_of(2**52))
    else:
        delete_account(user=carol)
    assert (counts(one), counts(two)) == ((1, 1, 3), (1, 0, 0))
    drain()
    for kind in ("likes", "boosts", "bookmarks", "profile", "posts", "home", "user"):
        assert not keys_of_the_test(f"{kind}:*:{user_id}")
    assert not Like.objects.filter(user_id=user_id).exists()
    assert not Bookmark.objects.filter(user_id=user_id).exists()
    assert differences() == []


def test_what_belonged_to_its_statuses_goes(alice: User, bob: User, carol: User) -> None:
    status = said(alice, "hello")
    edit_status(status=Status.objects.get(pk=status.id), by=alice, text="hello again")
    for user in (bob, carol):
        like(user=user, status=status)
        bookmark(user=user, status=status)
        boost(user=user, status=status)
        home(user)
    boosts = list(Status.objects.filter(boost_of_id=status.id).values_list("pk", flat=True))
    delete_account(user=alice)
    drain()
    for table in (Like, Bookmark, StatusVersion, Status):
        assert not table.objects.exists()
    assert store.read_statuses(boosts) == {}
    for user in (bob, carol):
        user.refresh_from_db()
        assert user.statuses_count == read_users([user.pk])[user.pk].posts == 0
        assert home(user) == profile(user) == []
    assert "hello" not in str(contents_of(keys_of_the_test()))
    assert differences() == []


def test_threads_of_others_stay_and_name_nobody(alice: User, bob: User, carol: User) -> None:
    """bob ← alice ← carol ← alice, and alice ← alice ← bob, and alice ← alice."""
    first = said(bob, "first")
    second = said(alice, "second", reply_to=first)
    third = said(carol, "third", reply_to=second)
    said(alice, "fourth", reply_to=third)
    begun = said(alice, "begun")
    gone_on = said(alice, "gone on", reply_to=begun)
    answer = said(bob, "an answer", reply_to=gone_on)
    lonely = said(alice, "lonely")
    delete_account(user=alice)
    assert counts(first)[2] == 0
    (entry,) = show([third.id], viewer=None).statuses
    assert (entry.status.reply_to, entry.status.reply_to_username) == (second.id, "")
    (entry,) = show([answer.id], viewer=None).statuses
    assert entry.status.reply_to_username == ""
    gaps = dict(Gap.objects.values_list("pk", "reply_to_id"))
    assert gaps == {second.id: first.id, begun.id: None, gone_on.id: begun.id}
    assert lonely.id not in gaps
    drain()
    assert counts(third)[2] == 0
    assert differences() == []


def test_its_own_likes_and_replies_are_no_trouble(alice: User) -> None:
    status = said(alice, "hello")
    like(user=alice, status=status)
    boost(user=alice, status=status)
    said(alice, "and more", reply_to=status)
    delete_account(user=alice)
    drain()
    assert not Status.objects.exists()
    assert differences() == []


def test_deleting_twice_uncounts_once(alice: User, carol: User) -> None:
    status = said(alice, "hello")
    like(user=carol, status=status)
    like(user=alice, status=status)
    again = User.objects.get(pk=carol.pk)
    delete_account(user=carol)
    delete_account(user=again)
    drain()
    assert counts(status) == (1, 0, 0)
    assert differences() == []


@pytest.mark.long
def test_thousands_go_in_a_bounded_number_of_statements(
    alice: User, bob: User, carol: User
) -> None:
    """carol liked everything of alice, boosted and answered some; bob did the same with hers."""
    hers, own = make_statuses(alice, MANY), make_statuses(carol, MANY)
    with_actions(carol, hers)
    with_actions(bob, own)
    for user in (alice, bob, carol):
        User.objects.filter(pk=user.pk).update(statuses_count=user.statuses.count())
    refresh_users([alice.pk, bob.pk, carol.pk])
    store.refresh_statuses([*hers, *own])
    home(bob)
    assert differences() == []
    user_id = carol.pk
    with CaptureQueriesContext(connection) as queries:
        delete_account(user=carol)
    assert len(queries) < 130, "far fewer than rows"
    drain(with_outbox=False)  # which grows long
    drain()
    counted = ("likes_count", "boosts_count", "replies_count")
    assert set(Status.objects.filter(pk__in=hers).values_list(*counted)) == {(0, 0, 0)}
    assert not Status.objects.filter(author_id=user_id).exists()
    assert not Like.objects.exists()
    assert not Bookmark.objects.exists()
    assert Gap.objects.count() == SOME
    bob.refresh_from_db()
    assert bob.statuses_count == SOME, "his replies are left, his boosts are gone"
    left = contents_of(keys_of_the_test())
    assert not [name for name in left if name.endswith(f":{user_id}")]
    assert "by carol" not in str(left)
    assert differences() == []


def make_statuses(author: User, count: int) -> list[int]:
    rows = [new_status(author, text=f"by {author.username} {n}") for n in range(count)]
    Status.objects.bulk_create(rows)
    return [row.pk for row in rows]


def new_status(author: User, **fields: object) -> Status:
    status_id = status_ids.next(get_client())
    return Status(id=status_id, author=author, created_at=time_of(status_id), **fields)


def with_actions(user: User, ids: list[int]) -> None:
    """Likes and bookmarks of all, boosts of and replies to the first ones."""
    client, first = get_client(), ids[:SOME]
    author_id = Status.objects.get(pk=ids[0]).author_id
    Like.objects.bulk_create(Like(id=like_ids.next(client), user=user, status_id=it) for it in ids)
    Bookmark.objects.bulk_create(
        Bookmark(id=bookmark_ids.next(client), user=user, status_id=it) for it in ids
    )
    Status.objects.bulk_create([new_status(user, boost_of_id=it) for it in first])
    replies = Status.objects.bulk_create(
        new_status(user, text="so", reply_to_id=it, reply_to_author_id=author_id, thread_id=it)
        for it in first
    )
    with transaction.atomic():
        indexing.write_rows([reply.pk for reply in replies])
    Status.objects.filter(pk__in=ids).update(likes_count=1)
    Status.objects.filter(pk__in=first).update(boosts_count=1, replies_count=1)


def test_parts_are_small_enough_for_every_database(
    alice: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start, "SOME", 2)
    monkeypatch.setattr("statuses.removing.parting.PART", 2)
    monkeypatch.setattr("statuses.tasks.COUNTED_AT_ONCE", 1)
    statuses = [said(alice, f"{n}") for n in range(5)]
    for status in statuses:
        like(user=carol, status=status)
        said(carol, "yes", reply_to=status)
        said(alice, "well", reply_to=said(carol, "no", reply_to=status))
    delete_account(user=carol)
    drain()
    assert {counts(status) for status in statuses} == {(0, 0, 0)}
    assert Gap.objects.count() == 5
    assert differences() == []


def test_a_status_that_was_deleted_before_is_left_alone(alice: User, carol: User) -> None:
    """Its likes may still be there, until the task has removed them."""
    status = said(alice, "hello")
    like(user=carol, status=status)
    said(carol, "yes", reply_to=status)
    delete_status(status=Status.objects.get(pk=status.id), by=alice)
    delete_account(user=carol)
    drain()
    assert not Like.objects.exists()
    assert differences() == []


def test_accounts_that_leave_together_are_all_uncounted(alice: User) -> None:
    statuses = [said(alice, f"{n}") for n in range(4)]
    people = [make_user(f"user{n}") for n in range(6)]
    for user in people:
        for status in statuses:
            like(user=user, status=status)

    leavers = list(people[:5])

    def leave() -> None:
        try:
            delete_account(user=leavers.pop())
        finally:
            connection.close()

    in_threads(5, leave)
    drain()
    assert {counts(status) for status in statuses} == {(1, 0, 0)}
    assert differences() == []


@pytest.mark.parametrize("dies", [False, True], ids=["at once", "by a worker"])
def test_nobody_blocks_or_mutes_it_any_more(
    alice: User, bob: User, carol: User, dies: bool
) -> None:
    dave = make_user("dave")
    hide_boosts(follower=bob, followee=alice)
    mute(user=carol, muted=alice)
    block(blocker=alice, blocked=dave)
    for user in (bob, carol, dave):
        assert viewpoint_of(user.pk) != NOBODY
    with dying_after_the_commit() if dies else nullcontext():
        delete_account(user=alice)
    drain(now=time_of(2**52))
    assert differences() == []
    for user in (bob, carol, dave):
        assert viewpoint_of(user.pk) == NOBODY
