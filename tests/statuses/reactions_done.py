"""Likes, boosts and bookmarks according to all who know of them, and many at once."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.db import connection, transaction

from redistools import keys, loaded_set
from redistools.client import get_client
from statuses.models import Bookmark, Like, Status
from statuses.reactions import store as reaction_store
from statuses.reactions.rows import REACTIONS, Reaction
from statuses.reactions.services import bookmark, boost, like, unbookmark, unboost, unlike
from statuses.reactions.store import ReaderMarks
from statuses.selectors import show
from taskqueue.drain import drain
from tests.races import in_threads
from tests.soundness import wrong_with_statuses, wrong_with_users
from users.models import User

Job = Callable[[], object]
Do = Callable[..., bool]
DO: dict[Reaction, tuple[Do, Do]] = {
    "like": (like, unlike),
    "boost": (boost, unboost),
    "bookmark": (bookmark, unbookmark),
}
each_reaction = pytest.mark.parametrize("reaction", REACTIONS)


def rows_of(reaction: Reaction, status_id: int) -> int:
    if reaction == "boost":
        return Status.objects.filter(boost_of_id=status_id).count()
    return (Like if reaction == "like" else Bookmark).objects.filter(status_id=status_id).count()


def counts(reaction: Reaction, status_id: int) -> list[int]:
    """According to the rows, to the status, and to Redis. Bookmarks are counted nowhere."""
    rows = rows_of(reaction, status_id)
    if reaction == "bookmark":
        return [rows]
    (shown,) = show([status_id], viewer=None).statuses
    in_sql = getattr(Status.objects.get(pk=status_id), f"{reaction}s_count")
    return [rows, in_sql, getattr(shown.counts, f"{reaction}s")]


def marks(user: User, status_id: int) -> ReaderMarks:
    (shown,) = show([status_id], viewer=user).statuses
    return shown.marks


def has_done(reaction: Reaction, user: User, status_id: int) -> tuple[bool, bool]:
    """According to SQL and to Redis."""
    rows = reaction_store.rows_in_sql(reaction, user.pk, among=[status_id])
    held = loaded_set.contents(get_client(), [keys.reactions(reaction, user.pk)])
    scores = {member: at for one in held.values() for member, at in one.scores.items()}
    assert scores.get(status_id) in (None, rows.get(status_id)), "the id of the row is the score"
    return status_id in rows, status_id in scores


def in_a_thread(jobs: Iterator[Job]) -> None:
    try:
        for job in jobs:
            job()
    finally:
        connection.close()


def all_at_once(threads: int, jobs: list[Job]) -> None:
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
