"""What the tests of boosts in timelines share."""

from collections.abc import Sequence

from statuses import store
from statuses.models import Status
from statuses.reading.shown import ShownStatus
from statuses.services import post_status
from statuses.stored import StoredStatus
from taskqueue.drain import drain
from tests.soundness import wrong_with_statuses, wrong_with_users
from users.models import User


def said(author: User, text: str) -> StoredStatus:
    status = post_status(author=author, text=text)
    return store.read_statuses([status.pk])[status.pk]


def entries(timeline: Sequence[ShownStatus]) -> list[tuple[str, str]]:
    """Who passed it on, and what it says."""
    return [(it.boost.username if it.boost else "", it.text) for it in timeline]


def assert_sound() -> None:
    drain()
    assert wrong_with_users(list(User.objects.all())) == []
    assert wrong_with_statuses(list(Status.objects.values_list("pk", flat=True))) == []
