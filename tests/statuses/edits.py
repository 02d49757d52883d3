"""Statuses to edit, and what they say."""

from datetime import UTC, datetime, timedelta

from django.utils import timezone

from statuses.models import Status
from statuses.selectors import show
from users.models import User

OLD = timedelta(minutes=61)


def shown(status: Status) -> tuple[str, str]:
    (entry,) = show([status.pk], viewer=None).statuses
    return entry.text, entry.status.warning


def made(ago: timedelta, author: User) -> Status:
    """A status that is older than it looks."""
    moment = timezone.now() - ago
    status_id = int((moment - datetime(2024, 1, 1, tzinfo=UTC)).total_seconds() * 1000) << 12
    return Status.objects.create(id=status_id, author=author, text="old")
