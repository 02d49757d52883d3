"""Deleting an account: its notifications go, and those of others no longer count it."""

import io

import pytest
from django.core.management import call_command
from django.utils import timezone

from notifications import tasks
from notifications.models import Notification
from redistools import keys
from redistools.client import get_client
from relations.services import follow
from statuses.models import Status
from statuses.reactions.services import boost, like
from statuses.services import edit_status
from taskqueue import start
from taskqueue.drain import drain
from tests.cast import make_user
from tests.notifications.reading import Told, rows_of, say, told, unread
from tests.redis_keys import keys_of_the_test
from upkeep import checking
from users.consequences import ONCE_MORE_AFTER
from users.models import User
from users.services import delete_account


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "PATIENCE_SECONDS", 0)


@pytest.mark.parametrize("at_once", [1, 1_000])
def test_others_forget_what_a_deleted_account_did(
    alice: User, carol: User, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(tasks, "LINK_SIZE", at_once)
    monkeypatch.setattr(start, "SOME", at_once)
    status, dave, erin = say(alice), make_user("dave"), make_user("erin")
    liked = [say(alice, f"number {number}") for number in range(3)]
    for user in (erin, dave, carol):
        like(user=user, status=status)
        boost(user=user, status=status)
        follow(follower=user, followee=alice)
    for other in liked:
        like(user=carol, status=other)
    say(carol, "@alice hello")
    said = say(carol, "yes", reply_to=status.id)
    boost(user=erin, status=said)
    edit_status(status=Status.objects.get(pk=said.id), by=carol, text="no")
    assert unread(alice) == 8
    assert told(erin) == [Told("edit", ["carol"])]
    delete_account(user=carol)
    assert told(alice) == [
        Told("follow", ["dave", "erin"]),
        Told("boost", ["dave", "erin"]),
        Told("like", ["dave", "erin"]),
    ]
    assert unread(alice) == 3
    assert told(erin) == []
    assert unread(erin) == 0


def test_nothing_is_left_of_the_notifications_of_a_deleted_account(
    alice: User, carol: User
) -> None:
    status = say(alice)
    like(user=carol, status=status)
    follow(follower=carol, followee=alice)
    assert len(told(alice)) == 2
    assert len(keys_of_the_test("notification:*")) == 2
    alice_id = alice.pk
    delete_account(user=alice)
    drain()
    drain(now=timezone.now() + ONCE_MORE_AFTER)
    assert not Notification.objects.exists()
    assert keys_of_the_test("notification:*") == []
    assert not get_client().exists(keys.notifications(alice_id))
    out = io.StringIO()
    call_command("check_timelines", stdout=out)
    assert "agrees with SQL" in out.getvalue()


def test_tasks_that_come_after_the_deletion_bring_nothing_back(alice: User, carol: User) -> None:
    status = say(alice)
    like(user=carol, status=status)
    say(carol, "@alice")
    alice_id = alice.pk
    delete_account(user=alice)
    drain()
    tasks.likes_changed.enqueue(status.id)
    tasks.follows_changed.enqueue(alice_id, 5)
    tasks.publish.enqueue(alice_id, [1, 2], [1, 2])
    drain()
    assert not Notification.objects.exists()
    assert keys_of_the_test("notification*") == []
    assert rows_of(carol) == []
