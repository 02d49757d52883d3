"""Counters that do not say what their rows say are found and set right, also while others write."""

import io
from functools import partial

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.models import F

from redistools import keys
from redistools.client import get_client
from statuses import store
from statuses.models import Like, Status, like_ids
from statuses.reactions.services import boost, like, unlike
from statuses.selectors import show
from statuses.services import post_status
from statuses.serving_copy import STATUSES
from statuses.stored import StoredStatus
from taskqueue.drain import drain
from tests.cast import make_user
from tests.races import in_threads
from tests.soundness import wrong_with_statuses, wrong_with_users
from upkeep import checking
from upkeep import serving_copy as counters
from users.models import User
from users.serving_copy import USERS


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "PATIENCE_SECONDS", 0)


@pytest.fixture
def said(alice: User, bob: User, carol: User) -> StoredStatus:
    """Liked twice, boosted once, answered once."""
    status = post_status(author=alice, text="hello")
    stored = store.read_statuses([status.pk])[status.pk]
    like(user=bob, status=stored)
    like(user=carol, status=stored)
    boost(user=bob, status=stored)
    post_status(author=carol, text="hi", reply_to=stored.id)
    drain()
    return stored


def check(*options: str) -> tuple[int, str]:
    out = io.StringIO()
    try:
        call_command("check_timelines", *options, stdout=out, stderr=io.StringIO())
    except SystemExit as ended:
        return int(ended.code or 0), out.getvalue()
    return 0, out.getvalue()


def counts(status: StoredStatus) -> tuple[int, int, int]:
    """As a reader sees them, and SQL has them."""
    (shown,) = show([status.id], viewer=None).statuses
    row = Status.objects.get(pk=status.id)
    assert shown.counts[:3] == (row.likes_count, row.boosts_count, row.replies_count)
    return shown.counts.likes, shown.counts.boosts, shown.counts.replies


@pytest.mark.parametrize("number", [0, 1, 2, 99, -1])
def test_wrong_counters_are_told_and_repaired(said: StoredStatus, number: int) -> None:
    right = {"likes_count": 2, "boosts_count": 1, "replies_count": 1}
    Status.objects.filter(pk=said.id).update(**dict.fromkeys(right, number))
    code, output = check()
    assert code == 1
    wrong = [f"{name} {number} instead of {it}" for name, it in right.items() if it != number]
    assert f"counters of status {said.id}: {', '.join(wrong)}\n" in output
    assert check("--repair")[0] == 0
    assert check()[0] == 0
    assert counts(said) == (2, 1, 1)


def test_a_repair_reaches_redis_though_it_has_the_newest_version(said: StoredStatus) -> None:
    """Both say the same wrong thing: it was counted wrong, and copied."""
    Status.objects.filter(pk=said.id).update(likes_count=7)
    get_client().hset(keys.status(said.id), "likes", 7)
    assert len(wrong_with_statuses([said.id])) == 1
    assert check("--repair")[0] == 0
    assert counts(said) == (2, 1, 1)


def test_counters_in_redis_that_differ_are_told_and_repaired(said: StoredStatus) -> None:
    get_client().hset(keys.status(said.id), "likes", 7)
    code, output = check()
    assert code == 1
    assert f"hash of status {said.id} differs" in output
    assert check("--repair")[0] == 0
    assert counts(said) == (2, 1, 1)


def test_what_is_liked_during_a_repair_is_counted(said: StoredStatus) -> None:
    people = [make_user(f"user{n}") for n in range(8)]
    Status.objects.filter(pk=said.id).update(likes_count=70, boosts_count=7)
    jobs = [
        job
        for user in people
        for job in (
            partial(like, user=user, status=said),
            partial(counters._reconcile_status, said.id),
            partial(unlike, user=user, status_id=said.id),
            partial(counters._reconcile_status, said.id),
        )
    ]
    waiting = iter(jobs)

    def work() -> None:
        try:
            for _ in range(len(jobs) // 8):
                next(waiting)()
        finally:
            connection.close()

    in_threads(8, work)
    assert Like.objects.filter(status_id=said.id).count() == counts(said)[0]
    assert counts(said)[1:] == (1, 1)
    assert wrong_with_statuses([said.id]) == []


def test_a_repair_counts_again_what_has_changed_since_the_check(said: StoredStatus) -> None:
    Status.objects.filter(pk=said.id).update(likes_count=F("likes_count") + 5)
    (difference,) = list(checking.check(STATUSES, STATUSES.find([said.id])))[-1:]
    like(user=make_user("late"), status=said)
    difference.repair()
    assert counts(said)[0] == 3


def test_a_repair_of_what_is_gone_does_nothing(said: StoredStatus, alice: User) -> None:
    counters._reconcile_status(4711)
    counters._reconcile_user(4711)
    assert check()[0] == 0


def test_counters_of_accounts_are_counted_again_too(said: StoredStatus, alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(statuses_count=5)
    found = checking.check(USERS, [User.objects.get(pk=alice.pk)])
    difference = next(it for it in found if "5 instead of 1" in it.what)
    post_status(author=alice, text="meanwhile")
    difference.repair()
    alice.refresh_from_db()
    assert alice.statuses_count == 2
    assert wrong_with_users([alice]) == []


def test_likes_without_a_count_are_found(said: StoredStatus) -> None:
    """As somebody would leave them who writes rows by hand."""
    Like.objects.create(id=like_ids.next(get_client()), user=make_user("dave"), status_id=said.id)
    assert "likes_count 2 instead of 3" in check()[1]
