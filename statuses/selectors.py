"""Reading statuses."""

from collections.abc import Sequence

from django.core.exceptions import PermissionDenied
from django.http import Http404

from users.models import User

from . import store
from .models import Status
from .store import StoredStatus

ONLY_AUTHOR_OR_MODERATOR = "Only its author or a moderator may delete a status."


def hydrate(status_ids: Sequence[int]) -> list[StoredStatus]:
    """The statuses in the order asked for; those that no longer exist are left out.

    One round trip. What Redis lacks is read from SQL and put back.
    """
    found = store.read_statuses(status_ids)
    missing = [status_id for status_id in status_ids if status_id not in found]
    if missing:
        alive = list(Status.objects.filter(pk__in=missing).values_list("pk", flat=True))
        if alive:
            store.refresh_statuses(alive)
            found |= store.read_statuses(alive)
    return [found[status_id] for status_id in status_ids if status_id in found]


def status_or_404(*, login: str, status_id: int) -> StoredStatus:
    """A status is at home under its author's name only."""
    for status in hydrate([status_id]):
        if status.login.lower() == login.lower():
            return status
    raise Http404("There is no such status.")


def may_delete(user: User, *, author_id: int) -> bool:
    """Authors and moderators may. Asking for somebody who is neither costs two queries."""
    return user.pk == author_id or user.has_perm("statuses.delete_status")


def status_to_delete(status_id: int, *, by: User) -> Status:
    """Raises Http404 or PermissionDenied."""
    status = Status.objects.select_related("author").filter(pk=status_id).first()
    if status is None:
        raise Http404("There is no such status.")
    if not may_delete(by, author_id=status.author_id):
        raise PermissionDenied(ONLY_AUTHOR_OR_MODERATOR)
    return status
