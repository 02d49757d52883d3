"""Files of pictures that no account has, or will have."""

from datetime import timedelta

from django.utils import timezone

from taskqueue.outbox import enqueue_on_commit
from taskqueue.task import task

from ..models import User
from . import files
from .kinds import Kind

# By then an upload has reached its account, or has failed.
UPLOADED_WITHIN = timedelta(minutes=10)
# For so long, open pages and copies that are about to change show a picture that was replaced.
LAST_LOOK = timedelta(minutes=10)


@task()
def remove_unused(user_id: int, kind: str, token: str) -> None:
    """Unless the account has this picture."""
    if not User.objects.filter(pk=user_id, **{kind: token}).exists():
        files.delete(Kind(kind), token)


def remove_if_abandoned(user_id: int, kind: Kind, token: str) -> None:
    """Called before the files are saved: whatever happens, they don't stay without an account."""
    later = remove_unused.using(run_after=timezone.now() + UPLOADED_WITHIN)
    later.enqueue(user_id, kind.value, token)


def remove_replaced(user_id: int, kind: Kind, token: str) -> None:
    """After the commit, and a last look."""
    later = remove_unused.using(run_after=timezone.now() + LAST_LOOK)
    enqueue_on_commit(later, user_id, kind.value, token)


def remove_taken_off(user_id: int, kind: Kind, token: str) -> None:
    """After the commit, without delay: nobody is to see it any more."""
    enqueue_on_commit(remove_unused, user_id, kind.value, token)


def remove_all(user: User) -> None:
    """Of an account that is being deleted."""
    for row in User.objects.select_for_update().filter(pk=user.pk):
        for kind in Kind:
            if token := getattr(row, kind.value):
                remove_taken_off(row.pk, kind, token)
