"""What people do with their notifications: read them, and choose which they want."""

from collections.abc import Collection

from django.db import transaction

from taskqueue.outbox import run_on_commit
from users.models import AccountGone, User
from users.rows import lock_accounts

from . import record, tasks
from .kinds import KINDS


def mark_read(*, user: User, up_to: int | None = None) -> bool:
    """Everything that has arrived, or up to this arrival. Later ones stay unread. False if nothing
    was unread. Raises AccountGone.
    """
    with transaction.atomic():
        account = lock_accounts([user.pk]).get(user.pk)
        if account is None:
            raise AccountGone
        seen = record.newest_arrival(account) if up_to is None else up_to
        changed = seen > account.notifications_seen
        if changed:
            account.notifications_seen = seen
            record.write_unread(account)
            run_on_commit(tasks.serve, user.pk, [], [])
    user.notifications_seen = account.notifications_seen
    user.unread_notifications = account.unread_notifications
    return changed


def choose_kinds(*, user: User, wanted: Collection[str]) -> None:
    """The others make no notifications from now on."""
    off = " ".join(kind for kind in KINDS if kind not in wanted)
    User.objects.filter(pk=user.pk).update(notifications_off=off)
    user.notifications_off = off
