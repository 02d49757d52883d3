"""Likes, boosts, bookmarks: SQL, its counters and Redis say the same, whatever happens at once."""

import random
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch
from statuses.models import Status
from statuses.reactions import store as reaction_store
from statuses.reactions.counts import write_counts
from statuses.reactions.rows import Reaction
from statuses.reactions.services import bookmark, boost, like, unboost, unlike
from statuses.reactions.store import ReaderMarks
from statuses.selectors import show
from statuses.services import delete_status
from statuses.stored import StoredStatus
from statuses.tasks import publish, retract, sync_bookmark, sync_like
from taskqueue.drain import drain
from tests.cast import make_user
from tests.statuses.reactions_done import (
    DO,
    Job,
    all_at_once,
    assert_sound,
    counts,
    dying_after_the_commit,
    each_reaction,
    has_done,
    marks,
    rows_of,
)
from tests.statuses.reading_reactions import post
from users.models import User
from web.refusals import Refusal


@pytest.fixture
def said(alice: User) -> StoredStatus:
    return post(alice, "hello")


def test_a_thousand_likes_and_unlikes_at_once_are_counted_exactly(said: StoredStatus) -> None:
    choice = random.Random(7)
    people = [make_user(f"user{n}") for n in range(50)]
    for user in people[:25]:
        marks(user, said.id)
    jobs: list[Job] = []
    for _ in range(1_000):
        user = choice.choice(people)
        done = partial(like, user=user, status=said)
        undone = partial(unlike, user=user, status_id=said.id)
        jobs.append(choice.choice([done, done, undone]))
    all_at_once(50, jobs)
    (count,) = set(counts("like", said.id))
    assert 0 < count < 50
    for user in people[:25]:
        in_sql, in_redis = has_done("like", user, said.id)
        assert in_sql is in_redis
    assert_sound(said.id)


@pytest.mark.parametrize("reaction", ["boost", "bookmark"])
def test_boosts_and_bookmarks_of_many_at_once_are_exact(
    reaction: Reaction, said: StoredStatus
) -> None:
    choice = random.Random(8)
    do, undo = DO[reaction]
    people = [make_user(f"user{n}") for n in range(10)]
    for user in people:
        marks(user, said.id)
    jobs: list[Job] = []
    for _ in range(150):
        user = choice.choice(people)
        undone = partial(undo, user=user, status_id=said.id)
        jobs.append(choice.choice([partial(do, user=user, status=said)] * 2 + [undone]))
    all_at_once(10, jobs)
    drain()
    assert len(set(counts(reaction, said.id))) == 1
    for user in people:
        in_sql, in_redis = has_done(reaction, user, said.id)
        assert in_sql is in_redis
    assert_sound(said.id)


@each_reaction
def test_somebody_who_clicks_everywhere_at_once_ends_as_sql_says(
    reaction: Reaction, said: StoredStatus, carol: User
) -> None:
    do, undo = DO[reaction]
    marks(carol, said.id)
    jobs: list[Job] = []
    for _ in range(30):
        jobs += [
            partial(do, user=carol, status=said),
            partial(undo, user=carol, status_id=said.id),
        ]
    all_at_once(8, jobs)
    drain(now=datetime.now(UTC) + timedelta(days=1))
    in_sql, in_redis = has_done(reaction, carol, said.id)
    assert in_sql is in_redis
    assert set(counts(reaction, said.id)) == {int(in_sql)}
    carol.refresh_from_db()
    assert carol.statuses_count == int(in_sql and reaction == "boost")
    assert_sound(said.id)


@each_reaction
def test_a_status_that_is_deleted_meanwhile_takes_everything_along(
    reaction: Reaction, said: StoredStatus, alice: User
) -> None:
    people = [make_user(f"user{n}") for n in range(12)]
    row = Status.objects.get(pk=said.id)

    def do_it(user: User) -> None:
        with suppress(Refusal):
            DO[reaction][0](user=user, status=said)

    jobs: list[Job] = [partial(do_it, user) for user in people]
    jobs.insert(6, partial(delete_status, status=row, by=alice))
    all_at_once(6, jobs)
    drain()
    assert rows_of(reaction, said.id) == 0
    assert not Status.objects.exists()
    for user in people:
        user.refresh_from_db()
        assert user.statuses_count == 0
    assert_sound(said.id)


def test_an_undone_boost_that_is_written_late_is_not_marked(
    said: StoredStatus, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is undone while its publication has read it, but not written it yet."""
    marks(carol, said.id)
    real, waiting = reaction_store.write, [partial(unboost, user=carol, status_id=said.id)]

    def write_late(*args: object) -> None:
        while waiting:
            waiting.pop()()
        real(*args)  # type: ignore[arg-type] # handed on as they came

    monkeypatch.setattr(reaction_store, "write", write_late)
    boost(user=carol, status=said)
    assert has_done("boost", carol, said.id) == (False, False)
    assert_sound(said.id)


def test_an_undone_boost_does_not_hide_the_next_one(said: StoredStatus, carol: User) -> None:
    """The same, and boosted again meanwhile; and the first process dies after it has written."""
    marks(carol, said.id)
    with dying_after_the_commit():
        boost(user=carol, status=said)
    first = Status.objects.get(author=carol).pk
    unboost(user=carol, status_id=said.id)
    boost(user=carol, status=said)
    own_key = keys.reactions("boost", carol.pk)
    get_client().zadd(own_key, {str(said.id): first})  # what the first one wrote
    publish.call(first, carol.pk, said.id)  # the worker repeats it
    second = Status.objects.get(author=carol).pk
    assert second != first
    assert get_client().zscore(own_key, str(said.id)) == second
    assert_sound(said.id)


@each_reaction
def test_what_a_dead_process_left_is_done_by_the_worker(
    reaction: Reaction, said: StoredStatus, carol: User
) -> None:
    do, undo = DO[reaction]
    marks(carol, said.id)
    with dying_after_the_commit():
        do(user=carol, status=said)
    assert has_done(reaction, carol, said.id) == (True, False)
    drain(now=datetime.now(UTC) + timedelta(minutes=1))
    assert has_done(reaction, carol, said.id) == (True, True)
    assert set(counts(reaction, said.id)) == {1}
    with dying_after_the_commit():
        undo(user=carol, status_id=said.id)
    drain(now=datetime.now(UTC) + timedelta(minutes=1))
    assert has_done(reaction, carol, said.id) == (False, False)
    assert set(counts(reaction, said.id)) == {0}
    assert_sound(said.id)


def test_tasks_that_run_again_change_nothing(said: StoredStatus, carol: User) -> None:
    marks(carol, said.id)
    for do in (like, bookmark, boost):
        do(user=carol, status=said)
    boosted = Status.objects.get(author=carol).pk
    everything = ReaderMarks(True, True, True)
    for _ in range(2):
        sync_like.call(carol.pk, said.id)
        sync_bookmark.call(carol.pk, said.id)
        publish.call(boosted, carol.pk, said.id)
        assert marks(carol, said.id) == everything
    assert counts("like", said.id) == counts("boost", said.id) == [1, 1, 1]
    unboost(user=carol, status_id=said.id)
    retract.call(boosted, carol.pk, said.id)
    publish.call(boosted, carol.pk, said.id)
    assert marks(carol, said.id) == everything._replace(boosted=False)
    assert counts("boost", said.id) == [0, 0, 0]
    assert_sound(said.id)


def test_older_counters_are_not_written_over_newer_ones(
    said: StoredStatus, bob: User, carol: User
) -> None:
    like(user=bob, status=said)
    (before,) = show([said.id], viewer=None).statuses
    like(user=carol, status=said)
    batch = Batch(get_client())
    write_counts(batch, said.id, before.counts)
    batch.run()
    assert counts("like", said.id) == [2, 2, 2]
