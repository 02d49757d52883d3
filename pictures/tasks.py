from datetime import timedelta

from django.utils import timezone

from taskqueue import start
from taskqueue.task import task

from .kinds import PictureKind, kind_named

# By then an upload has reached its owner, or has failed.
UPLOADED_WITHIN = timedelta(minutes=10)
# Open pages may still show a picture that was replaced.
LAST_LOOK = timedelta(minutes=10)


@task()
def remove_unused(owner_id: int, kind: str, token: str) -> None:
    known = kind_named(kind)
    if not known.is_used(owner_id, token):
        known.delete(token)


def remove_if_abandoned(owner_id: int, kind: PictureKind, token: str) -> None:
    """Called before the files are saved: whatever happens, they don't stay without an owner."""
    later = remove_unused.using(run_after=timezone.now() + UPLOADED_WITHIN)
    start.in_redis(later, owner_id, kind.name, token)


def remove_replaced(owner_id: int, kind: PictureKind, token: str) -> None:
    later = remove_unused.using(run_after=timezone.now() + LAST_LOOK)
    start.on_commit(later, owner_id, kind.name, token)


def remove_taken_off(owner_id: int, kind: PictureKind, token: str) -> None:
    """Without delay: nobody is to see it any more."""
    start.on_commit(remove_unused, owner_id, kind.name, token)
