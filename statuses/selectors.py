"""Reading statuses."""

from collections.abc import Sequence

from django.http import Http404

from . import store
from .models import Status
from .store import StoredStatus


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
