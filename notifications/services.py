"""What people do with their notifications: read them, and choose which they want."""

from collections.abc import Collection

from django.db import transaction
from django.db.models import Min

from taskqueue import start
from users.models import User
from users.rows import lock_account
from users.throttling import throttled

from . import rows, tasks
from .grouping import record
from .grouping.kinds import ALWAYS_TOLD, KINDS
from .selectors import NotificationPage


@throttled("notifications", by="user")
def mark_read(*, user: User) -> bool:
    return mark_seen(user=user)


def mark_seen(*, user: User, page: NotificationPage | None = None) -> bool:
    """Marks everything that has arrived, or had arrived when the page was read; later ones stay
    unread. Returns False if nothing was unread. Raises AccountGone.
    """
    with transaction.atomic():
        account = lock_account(user)
        seen = _seen_on(page, account) if page else rows.newest_arrival(account)
        changed = seen > account.notifications_seen
        if changed:
            account.notifications_seen = seen
            rows.write_unread(account)
            start.run_on_commit(tasks.publish, user.pk, [], [])
    user.notifications_seen = account.notifications_seen
    user.unread_notifications = account.unread_notifications
    return changed


def _seen_on(page: NotificationPage, account: User) -> int:
    """The newest arrival on the page, unless the page lacks an older one: Redis may not have had
    it.
    """
    missed = record.unread(account).filter(position__gt=page.older or 0)
    first = missed.exclude(pk__in=[it.id for it in page.read]).aggregate(first=Min("arrived"))
    return min(page.arrived, (first["first"] or page.arrived + 1) - 1)


@throttled("notifications", by="user")
def choose_kinds(*, user: User, wanted: Collection[str]) -> None:
    off = " ".join(kind for kind in KINDS if kind not in {*wanted, *ALWAYS_TOLD})
    User.objects.filter(pk=user.pk).update(notifications_off=off)
    user.notifications_off = off
