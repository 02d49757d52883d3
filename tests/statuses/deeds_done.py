"""Likes, boosts and bookmarks according to all who know of them, and many at once."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.db import connection, transaction

from redistools import keys, loaded_set
from redistools.client import get_client
from statuses.models import Bookmark, Like, Status
from statuses.reactions import store as reaction_store
from statuses.reactions.services import bookmark, boost, like, unbookmark, unboost, unlike
from statuses.reactions.store import DEEDS, Deed, Mine
from statuses.selectors import show
from taskqueue.drain import drain
from tests.races import in_threads
from tests.soundness import wrong_with_statuses, wrong_with_users
from users.models import User

Job = Callable[[], object]
Do = Callable[..., bool]
DO: dict[Deed, tuple[Do, Do]] = {
    "likes": (like, unlike),
    "boosts": (boost, unboost),
    "bookmarks": (bookmark, unbookmark),
}
each_deed = pytest.mark.parametrize("deed", DEEDS)


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
    rows = reaction_store.rows_in_sql(deed, user.pk, among=[status_id])
    held = loaded_set.contents(get_client(), [keys.own(deed, user.pk)])
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
