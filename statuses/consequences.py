"""What this app itself leaves to tasks."""

from taskqueue.backend import enqueue_with

from . import tasks
from .publication.events import Edit, Posting, Removal, changed, posted, removed


@posted.then
def follow_up(posting: Posting) -> None:
    """Most statuses answer, name and tag nothing."""
    if posting.status.concerns_others:
        enqueue_with(posting.batch, tasks.follow_up, posting.status.id)


@changed.then
def follow_up_edit(edit: Edit) -> None:
    """An edit may have taken out what a status said."""
    enqueue_with(edit.batch, tasks.follow_up, edit.status.id)


@removed.then
def remove_belongings(removal: Removal) -> None:
    for status_id in removal.status_ids:
        enqueue_with(removal.batch, tasks.remove_belongings, status_id)
