"""Likes, boosts, bookmarks: SQL, its counters and Redis say the same."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from redistools import keys
from redistools.client import get_client
from redistools.ids import IdSequence
from redistools.loaded_set import writing
from statuses import models, store
from statuses.models import Like, Status
from statuses.reactions import services as reactions
from statuses.reactions import store as reaction_store
from statuses.reactions.rows import Reaction
from statuses.reactions.services import boost, like, unboost, unlike
from statuses.reactions.store import ReaderMarks
from statuses.selectors import show
from statuses.services import delete_status
from statuses.stored import StoredStatus
from taskqueue import outbox
from tests.cast import make_user
from tests.round_trips import counting_round_trips
from tests.statements import statements
from tests.statuses.reactions_done import (
    DO,
    assert_sound,
    counts,
    each_reaction,
    has_done,
    marks,
    rows_of,
)
from tests.statuses.reading_reactions import post
from users.models import AccountGone, User
from users.services import delete_account, suspend
from users.store import read_users
from web.refusals import Refusal


@pytest.fixture
def said(alice: User) -> StoredStatus:
    return post(alice, "hello")


@each_reaction
def test_what_is_done_is_counted_once_and_marked_and_can_be_undone(
    reaction: Reaction, said: StoredStatus, carol: User
) -> None:
    do, undo = DO[reaction]
    marks(carol, said.id)  # loads what Redis does not know
    for changed in (True, False, False):
        assert do(user=carol, status=said) is changed
        assert set(counts(reaction, said.id)) == {1}
        assert has_done(reaction, carol, said.id) == (True, True)
        assert marks(carol, said.id) == ReaderMarks(**{mark_of(reaction): True})
    for changed in (True, False):
        assert undo(user=carol, status_id=said.id) is changed
        assert set(counts(reaction, said.id)) == {0}
        assert has_done(reaction, carol, said.id) == (False, False)
        assert marks(carol, said.id) == ReaderMarks()
    assert do(user=carol, status=said)
    assert has_done(reaction, carol, said.id) == (True, True)
    assert outbox.waiting() == 0
    assert_sound(said.id)


def mark_of(reaction: Reaction) -> str:
    return {"like": "liked", "boost": "boosted", "bookmark": "bookmarked"}[reaction]


@each_reaction
def test_everybody_counts(reaction: Reaction, said: StoredStatus, bob: User, carol: User) -> None:
    do, undo = DO[reaction]
    for user in (bob, carol):
        do(user=user, status=said)
    assert set(counts(reaction, said.id)) == {2}
    undo(user=bob, status_id=said.id)
    assert set(counts(reaction, said.id)) == {1}
    assert marks(bob, said.id) == ReaderMarks()
    assert marks(carol, said.id) == ReaderMarks(**{mark_of(reaction): True})


@each_reaction
def test_what_is_done_with_a_boost_is_done_with_its_original(
    reaction: Reaction, said: StoredStatus, bob: User, carol: User
) -> None:
    boost(user=bob, status=said)
    passed_on = stored(Status.objects.get(author=bob))
    assert DO[reaction][0](user=carol, status=passed_on)
    assert has_done(reaction, carol, said.id)[0]
    assert not has_done(reaction, carol, passed_on.id)[0]
    assert rows_of(reaction, passed_on.id) == 0


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


@each_reaction
def test_a_deleted_status_can_not_be_used(
    reaction: Reaction, said: StoredStatus, carol: User
) -> None:
    delete_status(status=Status.objects.get(), by=User.objects.get(username="alice"))
    with pytest.raises(Refusal, match="has been deleted"):
        DO[reaction][0](user=carol, status=said)
    assert rows_of(reaction, said.id) == 0
    assert DO[reaction][1](user=carol, status_id=said.id) is False
    carol.refresh_from_db()
    assert carol.statuses_count == 0
    assert outbox.waiting() == 0


@each_reaction
def test_an_account_that_is_gone_does_nothing(
    reaction: Reaction, said: StoredStatus, carol: User
) -> None:
    delete_account(user=User.objects.get(pk=carol.pk))
    with pytest.raises(AccountGone):
        DO[reaction][0](user=carol, status=said)
    assert set(counts(reaction, said.id)) == {0}


@each_reaction
def test_one_can_undo_what_one_no_longer_sees(
    reaction: Reaction, said: StoredStatus, alice: User, carol: User
) -> None:
    do, undo = DO[reaction]
    do(user=carol, status=said)
    suspend(user=alice)
    assert undo(user=carol, status_id=said.id) is True
    assert has_done(reaction, carol, said.id)[0] is False


def test_an_id_that_redis_gave_out_before_is_not_used_again(
    said: StoredStatus, bob: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Redis came back with an older memory, and another process had used the next id."""
    monkeypatch.setattr(reactions, "like_ids", IdSequence("like", floor=models.like_ids._floor))
    like(user=bob, status=said)
    taken = 2**52
    Like.objects.create(id=taken, user=make_user("dave"), status_id=4711)
    get_client().set(keys.id_sequence("like"), taken - 1)
    assert like(user=carol, status=said) is True
    assert Like.objects.get(user=carol).pk == taken + 1
    assert set(counts("like", said.id)) == {2}


def test_a_like_costs_few_statements_and_round_trips(said: StoredStatus, carol: User) -> None:
    """BEGIN, the like, its count, the outbox, COMMIT; then the like, the counts, and the like."""
    for _ in range(2):
        like(user=carol, status=said)
        unlike(user=carol, status_id=said.id)
    with counting_round_trips() as trips, CaptureQueriesContext(connection) as queries:
        like(user=carol, status=said)
    assert len(statements(queries)) == 8
    assert len(trips) <= 2, trips.sent


@each_reaction
def test_a_lost_set_is_loaded_again(reaction: Reaction, said: StoredStatus, carol: User) -> None:
    do, _undo = DO[reaction]
    do(user=carol, status=said)
    marks(carol, said.id)
    get_client().delete(keys.reactions(reaction, carol.pk), keys.status(said.id))
    assert marks(carol, said.id) == ReaderMarks(**{mark_of(reaction): True})
    assert set(counts(reaction, said.id)) == {1}
    assert has_done(reaction, carol, said.id) == (True, True)


@each_reaction
def test_sql_knows_what_a_trimmed_set_does_not(
    reaction: Reaction, alice: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reaction_store, "REACTIONS_KEPT", 3)
    monkeypatch.setattr(writing, "SLACK", 1)
    do, undo = DO[reaction]
    ids = []
    for number in range(8):
        status = post(alice, f"{number}")
        ids.append(status.id)
        do(user=carol, status=status)
        marks(carol, status.id)
    held = get_client().zcard(keys.reactions(reaction, carol.pk))
    assert held <= 4
    done = ReaderMarks(**{mark_of(reaction): True})
    assert [entry.marks for entry in show(ids, viewer=carol).statuses] == [done] * 8
    undo(user=carol, status_id=ids[0])
    assert [entry.marks for entry in show(ids, viewer=carol).statuses] == [ReaderMarks()] + [
        done
    ] * 7
    assert_sound(ids[0])
