"""What is left of a thread where statuses or accounts are gone."""

from collections.abc import Sequence
from typing import Any

import pytest
from django.db import connection

from redistools import keys
from redistools.client import get_client
from statuses.models import Gap, Status
from statuses.selectors import Shown, show
from statuses.services import delete_status, post_status
from statuses.threads.page import read_thread
from taskqueue.drain import drain
from tests.races import in_threads
from tests.statuses.trees import answer, drawn, shown, thread
from users.models import User
from users.services import delete_account, restore, suspend


@pytest.fixture
def root(alice: User) -> Status:
    return post_status(author=alice, text="the beginning")


def test_a_deleted_status_leaves_a_gap_and_the_thread_stays(
    alice: User, bob: User, root: Status
) -> None:
    gone = answer(bob, root, "gone")
    below = answer(alice, gone, "below")
    leaf = answer(bob, below, "leaf")
    delete_status(status=gone, by=bob)
    assert drawn(thread(root).replies) == ["gap", "-below", "--leaf"]
    assert drawn(thread(leaf).ancestors) == ["the beginning", "gap", "below"]
    delete_status(status=root, by=alice)
    assert drawn(thread(leaf).ancestors) == ["gap", "gap", "below"]


def test_a_thread_goes_on_after_its_beginning_is_deleted(
    alice: User, bob: User, root: Status
) -> None:
    below = answer(bob, root, "below")
    delete_status(status=root, by=alice)
    answer(alice, below, "and on")
    assert drawn(thread(below).replies) == ["and on"]


def test_a_leaf_leaves_no_gap(alice: User, bob: User, root: Status) -> None:
    delete_status(status=answer(bob, root), by=bob)
    assert thread(root).replies == []
    assert not Gap.objects.exists()


def test_gaps_go_when_nothing_is_left_below_them(alice: User, bob: User, root: Status) -> None:
    one, other = answer(bob, root), answer(bob, root, "other")
    two = answer(bob, one)
    three = answer(alice, two, "three")
    for status in (one, two):
        delete_status(status=status, by=bob)
    assert drawn(thread(root).replies) == ["gap", "-gap", "--three", "other"]
    assert Gap.objects.count() == 2
    delete_status(status=three, by=alice)
    assert drawn(thread(root).replies) == ["other"]
    assert not Gap.objects.exists()
    assert Status.objects.filter(pk=other.pk).exists()


def test_a_status_with_only_gaps_below_it_leaves_one_too(
    alice: User, bob: User, root: Status
) -> None:
    one = answer(bob, root)
    two = answer(bob, one)
    answer(alice, two, "three")
    delete_status(status=two, by=bob)
    one.refresh_from_db()
    assert one.replies_count == 0
    delete_status(status=one, by=bob)
    assert drawn(thread(root).replies) == ["gap", "-gap", "--three"]


def test_of_two_simultaneous_deletions_one_closes_the_gap(
    alice: User, bob: User, root: Status
) -> None:
    parent = answer(bob, root)
    leaves = [answer(alice, parent) for _ in range(4)]
    delete_status(status=parent, by=bob)

    def delete_one() -> None:
        try:
            delete_status(status=leaves.pop(), by=alice)
        finally:
            connection.close()

    in_threads(4, delete_one)
    drain()
    assert not Gap.objects.exists()
    assert thread(root).replies == []


def test_a_gap_that_was_left_open_is_not_shown(alice: User, bob: User, root: Status) -> None:
    """As when a process died before it could close the gap."""
    Gap.objects.create(pk=root.pk + 1, reply_to=root)
    Gap.objects.create(pk=root.pk + 2, reply_to_id=root.pk + 1)
    answer(bob, root, "a reply")
    assert drawn(thread(root).replies) == ["a reply"]


def test_a_status_that_left_no_trace_is_a_gap_as_well(alice: User, bob: User, root: Status) -> None:
    reply = answer(bob, root, "reply")
    answer(alice, reply, "below")
    Status.objects.filter(pk=root.pk).delete()
    get_client().delete(keys.status(root.pk))
    assert drawn(thread(reply).ancestors) == ["gap"]
    assert drawn(thread(reply).replies) == ["below"]


def test_nobody_sees_a_suspended_account_but_replies_to_it_stay(
    alice: User, bob: User, carol: User, root: Status
) -> None:
    first = answer(carol, root, "by carol")
    answer(carol, root, "another by carol, which nobody answered")
    reply = answer(bob, first, "to carol")
    answer(carol, reply, "carol again")
    suspend(user=carol)
    assert drawn(thread(root).replies) == ["hidden", "-to carol"]
    assert drawn(thread(reply).ancestors) == ["the beginning", "hidden"]
    assert thread(reply).replies == []
    restore(user=carol)
    assert len(thread(root).replies) == 4


def test_a_deleted_account_does_not_break_the_thread(
    alice: User, bob: User, carol: User, root: Status
) -> None:
    first = answer(carol, root, "by carol")
    reply = answer(bob, first, "to carol")
    last = answer(alice, reply, "the last")
    delete_account(user=carol)
    drain()
    assert drawn(thread(last).ancestors)[-2:] == ["gap", "to carol"]
    assert drawn(thread(reply).replies) == ["the last"]
    assert drawn(thread(root).replies) in ([], ["gap", "-to carol", "--the last"])


def test_what_is_deleted_while_the_page_is_read_is_a_gap(
    alice: User, bob: User, root: Status
) -> None:
    reply = answer(bob, root, "reply")
    answer(alice, reply, "below")

    def delete_first(status_ids: Sequence[int], **how: Any) -> Shown:
        delete_status(status=reply, by=bob)
        return show(status_ids, **how)

    read = read_thread(shown(root), viewer=None, show=delete_first)
    assert drawn(read.replies) == ["gap", "-below"]
