"""Reading statuses."""

from collections.abc import Sequence
from typing import NamedTuple

from django.core.exceptions import PermissionDenied
from django.http import Http404

from users.models import User
from users.suspension import suspended_ids

from . import store
from .models import Status
from .stored import StoredStatus
from .visibility import may_see, without_mentions

ONLY_AUTHOR_OR_MODERATOR = "Only its author or a moderator may delete a status."


class Shown(NamedTuple):
    """What a viewer gets to see of some statuses. Those neither shown nor gone are hidden."""

    statuses: list[StoredStatus]
    gone: list[int]
    """Ids of statuses that no longer exist."""


def show(status_ids: Sequence[int], *, viewer: User | None) -> Shown:
    """The statuses that the viewer may see, in the order asked for, ready to be shown.

    One round trip. What Redis lacks is read from SQL and put back.
    """
    if not status_ids:
        return Shown([], [])
    found, suspended = store.read_with_suspended(status_ids)
    found |= _restored([status_id for status_id in status_ids if status_id not in found])
    visible = [
        _as_shown(found[status_id], suspended)
        for status_id in status_ids
        if status_id in found and may_see(viewer, found[status_id], suspended=suspended)
    ]
    return Shown(visible, [status_id for status_id in status_ids if status_id not in found])


def _restored(missing: Sequence[int]) -> dict[int, StoredStatus]:
    """From SQL, and back in Redis."""
    if not missing:
        return {}
    alive = list(Status.objects.filter(pk__in=missing).values_list("pk", flat=True))
    if not alive:
        return {}
    store.refresh_statuses(alive)
    return store.read_statuses(alive)


def _as_shown(status: StoredStatus, suspended: frozenset[int]) -> StoredStatus:
    if not suspended:
        return status
    return without_mentions(status, lambda account: account.id in suspended)


def status_or_404(*, username: str, status_id: int, viewer: User | None) -> StoredStatus:
    """A status has its page under its author's name only."""
    for status in show([status_id], viewer=viewer).statuses:
        if status.username.lower() == username.lower():
            return status
    raise Http404("There is no such status.")


def preview(status: Status) -> StoredStatus:
    """For those who may delete it, even if nobody else sees it."""
    [stored] = store.render([status])
    return _as_shown(stored, suspended_ids())


def may_delete(user: User, *, author_id: int) -> bool:
    """Authors and moderators may. Asking for somebody who is neither costs two queries."""
    return user.pk == author_id or user.has_perm("statuses.delete_status")


def status_to_delete(status_id: int, *, by: User) -> Status:
    """Raises Http404 or PermissionDenied."""
    found = Status.objects.select_related("author").filter(pk=status_id).first()
    status = found or _only_in_redis(status_id)
    if status is None:
        raise Http404("There is no such status.")
    if not may_delete(by, author_id=status.author_id):
        raise PermissionDenied(ONLY_AUTHOR_OR_MODERATOR)
    return status


def _only_in_redis(status_id: int) -> Status | None:
    """A Redis that lost a deletion shows the status again: then it can be deleted again."""
    for stored in store.read_statuses([status_id]).values():
        author = User(pk=stored.author_id, username=stored.username, name=stored.name)
        return Status(id=stored.id, author=author, text=stored.text)
    return None
