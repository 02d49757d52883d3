"""What people find in their notifications, once all work is done."""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

from django.db import connection

from notifications import selectors
from notifications.models import Notification
from notifications.selectors import ShownNotification
from notifications.serving_copy import NOTIFICATIONS
from statuses.services import post_status
from statuses.store import find_statuses
from statuses.stored import StoredStatus
from taskqueue.drain import drain
from tests.races import in_threads
from tests.soundness import wrong_with_users
from upkeep.checking import check
from users.models import User


class Told(NamedTuple):
    kind: str
    names: list[str]
    others: int = 0


def say(author: User, text: str = "Hello.", **fields: Any) -> StoredStatus:
    """Post something, and have it as readers get it.

    In a millisecond of its own: within one, different kinds of events have no order.
    """
    time.sleep(0.001)
    status = post_status(author=author, text=text, **fields)
    time.sleep(0.001)
    return find_statuses([status.pk])[status.pk]


def told(user: User) -> list[Told]:
    """The newest first."""
    drain()
    user.refresh_from_db()
    return [as_told(it) for it in selectors.everything(user).notifications]


def as_told(shown: ShownNotification) -> Told:
    return Told(shown.stored.kind, [it.username for it in shown.people], shown.others)


def unread(user: User) -> int:
    drain()
    user.refresh_from_db()
    return user.unread_notifications


def assert_sound() -> None:
    """Redis says what the rows say, and the rows what happened."""
    drain()
    rows = list(NOTIFICATIONS.rows()) if NOTIFICATIONS.rows else []
    assert [str(it) for it in check(NOTIFICATIONS, rows)] == []
    assert wrong_with_users(list(User.objects.all())) == []


def rows_of(user: User) -> list[Notification]:
    return list(user.notifications.order_by("-position"))


def at_once(*jobs: Callable[[], object]) -> None:
    waiting = list(jobs)

    def run() -> None:
        try:
            waiting.pop()()
        finally:
            connection.close()  # each thread has one of its own

    in_threads(len(jobs), run)
