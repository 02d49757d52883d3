"""What this app itself leaves to tasks."""

from taskqueue import start
from users.events import renamed

from . import tasks
from .publication.events import Edit, Posting, Removal, changed, posted, removed


@posted.then
def follow_up(posting: Posting) -> None:
    """Most statuses answer, name and tag nothing."""
    if posting.status.concerns_others:
        start.with_batch(posting.batch, tasks.follow_up, posting.status.id)


@changed.then
def follow_up_edit(edit: Edit) -> None:
    """An edit may have taken out what a status said."""
    start.with_batch(edit.batch, tasks.follow_up, edit.status.id)


@renamed.then
def name_author(user_id: int) -> None:
    """Runs once for all saves before it begins; a later save queues its own run."""
    start.on_commit(tasks.name_author.using(unique_key=f"names of {user_id}"), user_id)


@removed.then
def remove_belongings(removal: Removal) -> None:
    for status_id in removal.status_ids:
        start.with_batch(removal.batch, tasks.remove_belongings, status_id)
