"""Work on statuses that nobody waits for. Ids in; running a task twice changes nothing."""

from taskqueue.task import task

from . import store
from .models import Status

LINK_SIZE = 500


@task()
def refresh_author(author_id: int, below: int | None = None) -> None:
    """Write an author's new name into their statuses, the newest first, some hundred a link."""
    rows = Status.objects.filter(author_id=author_id).between(below=below).newest_first()
    ids = list(rows.values_list("id", flat=True)[:LINK_SIZE])
    if ids:
        store.refresh_statuses(ids)
        refresh_author.enqueue(author_id, ids[-1])
