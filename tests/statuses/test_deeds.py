"""Likes, boosts, bookmarks: SQL, its counters and Redis say the same, whatever happens at once."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from django.core.exceptions import ValidationError
from django.db import connection, transaction
from pytest_django import DjangoAssertNumQueries

from redistools import keys, loaded_set
from redistools.client import get_client
from redistools.ids import IdSequence
from redistools.scripts import Batch
from statuses import deeds, models, own, store
from statuses.counts import write_counts
from statuses.deeds import bookmark, boost, like, unbookmark, unboost, unlike
from statuses.models import Bookmark, Like, Status
from statuses.own import DEEDS, Deed, Mine
from statuses.selectors import show
from statuses.services import delete_status, post_status
from statuses.stored import StoredStatus
from statuses.tasks import settle_bookmark, settle_like
from taskqueue import outbox
from taskqueue.drain import drain
from tests.cast import make_user
from tests.races import in_threads
from tests.round_trips import counting_round_trips
from tests.soundness import wrong_with_statuses, wrong_with_users
from timelines.tasks import publish, retract
from users.models import AccountGone, User
from users.services import delete_account, suspend
from users.store import read_users

Do = Callable[..., bool]
DO: dict[Deed, tuple[Do, Do]] = {
    "likes": (like, unlike),
    "boosts": (boost, unboost),
    "bookmarks": (bookmark, unbookmark),
}
each_deed = pytest.mark.parametrize("deed", DEEDS)


@pytest.fixture
def said(alice: User) -> StoredStatus:
    return post(alice, "hello")


def post(author: User, text: str) -> StoredStatus:
    status = post_status(author=author, text=text)
    return store.read_statuses([status.pk])[status.pk]


def rows_of(deed: Deed, status_id: int) -> int:
    if deed == "boosts":
        return Status.objects.filter(boost_of_id=status_id).count()
    return (Like if deed == "likes" else Bookmark).objects.filter(status_id=status_id).count()


def counts(deed: Deed, status_id: int) -> list[int]:
    """According to the rows, to the status, and to Redis. Bookmarks are counted nowhere."""
    rows = rows_of(deed, status_id)
    if deed == "bookmarks":
        return [rows]
    (shown,) = show([status_id], viewer=None).statuses
    in_sql = getattr(Status.objects.get(pk=status_id), f"{deed}_count")
    return [rows, in_sql, getattr(shown.counts, deed)]


def marks(user: User, status_id: int) -> Mine:
    (shown,) = show([status_id], viewer=user).statuses
    return shown.mine


def has_done(deed: Deed, user: User, status_id: int) -> tuple[bool, bool]:
    """According to SQL and to Redis."""
    rows = own.rows_in_sql(deed, user.pk, among=[status_id])
    held = loaded_set.contents(get_client(), [keys.own(deed, user.pk)])
    scores = {member: at for one in held.values() for member, at in one.scores.items()}
    assert scores.get(status_id) in (None, rows.get(status_id)), "the id of the row is the score"
    return status_id in rows, status_id in scores


def in_a_thread(jobs: Iterator[Callable[[], object]]) -> None:
    try:
        for job in jobs:
            job()
    finally:
        connection.close()


def all_at_once(threads: int, jobs: list[Callable[[], object]]) -> None:
    """Each thread takes the next job that is left."""
    left = iter(jobs)
    in_threads(threads, in_a_thread, left)


def assert_sound(status_id: int) -> None:
    drain()
    assert wrong_with_users(list(User.objects.all())) == []
    assert wrong_with_statuses([status_id]) == []


@contextmanager
def dying_after_the_commit() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transaction, "on_commit", lambda *_args, **_kwargs: None)
        yield


@each_deed
def test_what_is_done_is_counted_once_and_marked_and_can_be_undone(
    deed: Deed, said: StoredStatus, carol: User
) -> None:
    do, undo = DO[deed]
    marks(carol, said.id)  # loads what Redis does not know
    for changed in (True, False, False):
        assert do(user=carol, status=said) is changed
        assert set(counts(deed, said.id)) == {1}
        assert has_done(deed, carol, said.id) == (True, True)
        assert marks(carol, said.id) == Mine(**{mark_of(deed): True})
    for changed in (True, False):
        assert undo(user=carol, status_id=said.id) is changed
        assert set(counts(deed, said.id)) == {0}
        assert has_done(deed, carol, said.id) == (False, False)
        assert marks(carol, said.id) == Mine()
    assert do(user=carol, status=said)
    assert has_done(deed, carol, said.id) == (True, True)
    assert outbox.waiting() == 0
    assert_sound(said.id)


def mark_of(deed: Deed) -> str:
    return {"likes": "liked", "boosts": "boosted", "bookmarks": "bookmarked"}[deed]


@each_deed
def test_everybody_counts(deed: Deed, said: StoredStatus, bob: User, carol: User) -> None:
    do, undo = DO[deed]
    for user in (bob, carol):
        do(user=user, status=said)
    assert set(counts(deed, said.id)) == {2}
    undo(user=bob, status_id=said.id)
    assert set(counts(deed, said.id)) == {1}
    assert marks(bob, said.id) == Mine()
    assert marks(carol, said.id) == Mine(**{mark_of(deed): True})


@each_deed
def test_what_is_done_with_a_boost_is_done_with_its_original(
    deed: Deed, said: StoredStatus, bob: User, carol: User
) -> None:
    boost(user=bob, status=said)
    passed_on = stored(Status.objects.get(author=bob))
    assert DO[deed][0](user=carol, status=passed_on)
    assert has_done(deed, carol, said.id)[0]
    assert not has_done(deed, carol, passed_on.id)[0]
    assert rows_of(deed, passed_on.id) == 0


def stored(status: Status) -> StoredStatus:
    return store.find_statuses([status.pk])[status.pk]


def test_a_boost_is_a_status_of_its_booster(said: StoredStatus, bob: User) -> None:
    boost(user=bob, status=said)
    (row,) = Status.objects.filter(author=bob)
    assert (row.boost_of_id, row.text) == (said.id, "")
    bob.refresh_from_db()
    assert bob.statuses_count == read_users([bob.pk])[bob.pk].posts == 1
    unboost(user=bob, status_id=said.id)
    bob.refresh_from_db()
    assert bob.statuses_count == read_users([bob.pk])[bob.pk].posts == 0
    assert not Status.objects.filter(author=bob).exists()
    assert store.read_statuses([row.pk]) == {}


@each_deed
def test_a_deleted_status_can_not_be_used(deed: Deed, said: StoredStatus, carol: User) -> None:
    delete_status(status=Status.objects.get(), by=User.objects.get(username="alice"))
    with pytest.raises(ValidationError, match="has been deleted"):
        DO[deed][0](user=carol, status=said)
    assert rows_of(deed, said.id) == 0
    assert DO[deed][1](user=carol, status_id=said.id) is False
    carol.refresh_from_db()
    assert carol.statuses_count == 0
    assert outbox.waiting() == 0


@each_deed
def test_an_account_that_is_gone_does_nothing(deed: Deed, said: StoredStatus, carol: User) -> None:
    delete_account(user=User.objects.get(pk=carol.pk))
    with pytest.raises(AccountGone):
        DO[deed][0](user=carol, status=said)
    assert set(counts(deed, said.id)) == {0}


@each_deed
def test_one_can_undo_what_one_no_longer_sees(
    deed: Deed, said: StoredStatus, alice: User, carol: User
) -> None:
    do, undo = DO[deed]
    do(user=carol, status=said)
    suspend(user=alice)
    assert undo(user=carol, status_id=said.id) is True
    assert has_done(deed, carol, said.id)[0] is False


def test_an_id_that_redis_gave_out_before_is_not_used_again(
    said: StoredStatus, bob: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Redis came back with an older memory, and another process had used the next id."""
    monkeypatch.setattr(deeds, "like_ids", IdSequence("like", floor=models.like_ids._floor))
    like(user=bob, status=said)
    taken = 2**52
    Like.objects.create(id=taken, user=make_user("dave"), status_id=4711)
    get_client().set(keys.id_sequence("like"), taken - 1)
    assert like(user=carol, status=said) is True
    assert Like.objects.get(user=carol).pk == taken + 1
    assert set(counts("likes", said.id)) == {2}


def test_a_like_costs_few_statements_and_round_trips(
    said: StoredStatus, carol: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    """BEGIN, the like, its count, the outbox, COMMIT; then the like, the counts, and the like."""
    for _ in range(2):
        like(user=carol, status=said)
        unlike(user=carol, status_id=said.id)
    with counting_round_trips() as trips, django_assert_num_queries(8):
        like(user=carol, status=said)
    assert len(trips) <= 2, trips.sent


@each_deed
def test_a_lost_set_is_loaded_again(deed: Deed, said: StoredStatus, carol: User) -> None:
    do, _undo = DO[deed]
    do(user=carol, status=said)
    marks(carol, said.id)
    get_client().delete(keys.own(deed, carol.pk), keys.status(said.id))
    assert marks(carol, said.id) == Mine(**{mark_of(deed): True})
    assert set(counts(deed, said.id)) == {1}
    assert has_done(deed, carol, said.id) == (True, True)


@each_deed
def test_sql_knows_what_a_trimmed_set_does_not(
    deed: Deed, alice: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own, "OWN_SIZE", 3)
    monkeypatch.setattr(loaded_set, "SLACK", 1)
    do, undo = DO[deed]
    ids = []
    for number in range(8):
        status = post(alice, f"{number}")
        ids.append(status.id)
        do(user=carol, status=status)
        marks(carol, status.id)
    held = get_client().zcard(keys.own(deed, carol.pk))
    assert held <= 4
    done = Mine(**{mark_of(deed): True})
    assert [entry.mine for entry in show(ids, viewer=carol).statuses] == [done] * 8
    undo(user=carol, status_id=ids[0])
    assert [entry.mine for entry in show(ids, viewer=carol).statuses] == [Mine()] + [done] * 7
    assert_sound(ids[0])


def test_a_thousand_likes_and_unlikes_at_once_are_counted_exactly(said: StoredStatus) -> None:
    choice = random.Random(7)
    people = [make_user(f"user{n}") for n in range(50)]
    for user in people[:25]:
        marks(user, said.id)
    jobs: list[Callable[[], object]] = []
    for _ in range(1_000):
        user = choice.choice(people)
        done = partial(like, user=user, status=said)
        undone = partial(unlike, user=user, status_id=said.id)
        jobs.append(choice.choice([done, done, undone]))
    all_at_once(50, jobs)
    (count,) = set(counts("likes", said.id))
    assert 0 < count < 50
    for user in people[:25]:
        in_sql, in_redis = has_done("likes", user, said.id)
        assert in_sql is in_redis
    assert_sound(said.id)


@pytest.mark.parametrize("deed", ["boosts", "bookmarks"])
def test_boosts_and_bookmarks_of_many_at_once_are_exact(deed: Deed, said: StoredStatus) -> None:
    choice = random.Random(8)
    do, undo = DO[deed]
    people = [make_user(f"user{n}") for n in range(10)]
    for user in people:
        marks(user, said.id)
    jobs: list[Callable[[], object]] = []
    for _ in range(150):
        user = choice.choice(people)
        undone = partial(undo, user=user, status_id=said.id)
        jobs.append(choice.choice([partial(do, user=user, status=said)] * 2 + [undone]))
    all_at_once(10, jobs)
    drain()
    assert len(set(counts(deed, said.id))) == 1
    for user in people:
        in_sql, in_redis = has_done(deed, user, said.id)
        assert in_sql is in_redis
    assert_sound(said.id)


@each_deed
def test_somebody_who_clicks_everywhere_at_once_ends_as_sql_says(
    deed: Deed, said: StoredStatus, carol: User
) -> None:
    do, undo = DO[deed]
    marks(carol, said.id)
    jobs: list[Callable[[], object]] = []
    for _ in range(30):
        jobs += [
            partial(do, user=carol, status=said),
            partial(undo, user=carol, status_id=said.id),
        ]
    all_at_once(8, jobs)
    drain(now=datetime.now(UTC) + timedelta(days=1))
    in_sql, in_redis = has_done(deed, carol, said.id)
    assert in_sql is in_redis
    assert set(counts(deed, said.id)) == {int(in_sql)}
    carol.refresh_from_db()
    assert carol.statuses_count == int(in_sql and deed == "boosts")
    assert_sound(said.id)


@each_deed
def test_a_status_that_is_deleted_meanwhile_takes_everything_along(
    deed: Deed, said: StoredStatus, alice: User
) -> None:
    people = [make_user(f"user{n}") for n in range(12)]
    row = Status.objects.get(pk=said.id)

    def do_it(user: User) -> None:
        with suppress(ValidationError):
            DO[deed][0](user=user, status=said)

    jobs: list[Callable[[], object]] = [partial(do_it, user) for user in people]
    jobs.insert(6, partial(delete_status, status=row, by=alice))
    all_at_once(6, jobs)
    drain()
    assert rows_of(deed, said.id) == 0
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
    real, waiting = own.write, [partial(unboost, user=carol, status_id=said.id)]

    def write_late(*args: object) -> None:
        while waiting:
            waiting.pop()()
        real(*args)  # type: ignore[arg-type] # handed on as they came

    monkeypatch.setattr(own, "write", write_late)
    boost(user=carol, status=said)
    assert has_done("boosts", carol, said.id) == (False, False)
    assert_sound(said.id)


def test_an_undone_boost_does_not_hide_the_next_one(said: StoredStatus, carol: User) -> None:
    """The same, and boosted again meanwhile; and the first process dies after it has written."""
    marks(carol, said.id)
    with dying_after_the_commit():
        boost(user=carol, status=said)
    first = Status.objects.get(author=carol).pk
    unboost(user=carol, status_id=said.id)
    boost(user=carol, status=said)
    own_key = keys.own("boosts", carol.pk)
    get_client().zadd(own_key, {str(said.id): first})  # what the first one wrote
    publish.call(first, carol.pk, said.id)  # the worker repeats it
    second = Status.objects.get(author=carol).pk
    assert second != first
    assert get_client().zscore(own_key, str(said.id)) == second
    assert_sound(said.id)


@each_deed
def test_what_a_dead_process_left_is_done_by_the_worker(
    deed: Deed, said: StoredStatus, carol: User
) -> None:
    do, undo = DO[deed]
    marks(carol, said.id)
    with dying_after_the_commit():
        do(user=carol, status=said)
    assert has_done(deed, carol, said.id) == (True, False)
    drain(now=datetime.now(UTC) + timedelta(minutes=1))
    assert has_done(deed, carol, said.id) == (True, True)
    assert set(counts(deed, said.id)) == {1}
    with dying_after_the_commit():
        undo(user=carol, status_id=said.id)
    drain(now=datetime.now(UTC) + timedelta(minutes=1))
    assert has_done(deed, carol, said.id) == (False, False)
    assert set(counts(deed, said.id)) == {0}
    assert_sound(said.id)


def test_tasks_that_run_again_change_nothing(said: StoredStatus, carol: User) -> None:
    marks(carol, said.id)
    for do in (like, bookmark, boost):
        do(user=carol, status=said)
    boosted = Status.objects.get(author=carol).pk
    everything = Mine(True, True, True)
    for _ in range(2):
        settle_like.call(carol.pk, said.id)
        settle_bookmark.call(carol.pk, said.id)
        publish.call(boosted, carol.pk, said.id)
        assert marks(carol, said.id) == everything
    assert counts("likes", said.id) == counts("boosts", said.id) == [1, 1, 1]
    unboost(user=carol, status_id=said.id)
    retract.call(boosted, carol.pk, said.id)
    publish.call(boosted, carol.pk, said.id)
    assert marks(carol, said.id) == everything._replace(boosted=False)
    assert counts("boosts", said.id) == [0, 0, 0]
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
    assert counts("likes", said.id) == [2, 2, 2]
