"""What Redis and the disk forget of an account that leaves."""

from datetime import timedelta

from django.utils import timezone

from taskqueue import start

from . import tasks
from .events import before_leaving
from .export import making
from .models import Export, User

# A fan-out or page in progress may load keys of the account again, empty; by then it has ended.
ONCE_MORE_AFTER = timedelta(hours=1)


@before_leaving.then
def forget_account(user: User) -> None:
    if not user.is_active:
        # A deleted account is no longer suspended: its id leaves the set.
        start.run_on_commit(tasks.sync_suspension, user.pk)
    start.run_on_commit(tasks.forget_account, user.pk)
    once_more = tasks.forget_account.using(run_after=timezone.now() + ONCE_MORE_AFTER)
    start.on_commit(once_more, user.pk)


@before_leaving.then
def remove_export(user: User) -> None:
    for export in Export.objects.filter(user=user):
        making.remove_later(export)
