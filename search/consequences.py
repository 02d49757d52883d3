"""What the index of posts hears of at once. New posts are found by a periodic task."""

from statuses.publication.events import Edit, Removal, changed, removed
from statuses.stored import StoredStatus
from taskqueue import start
from users.audience import Visibility
from users.events import findability_changed

from . import tasks


@changed.then
def index_again(edit: Edit) -> None:
    if _may_be_indexed(edit.status):
        start.with_batch(edit.batch, tasks.index, [edit.status.id])


@removed.then
def remove_from_index(removal: Removal) -> None:
    known = removal.known
    ids = [it for it in removal.status_ids if it not in known or _may_be_indexed(known[it])]
    if ids:
        start.with_batch(removal.batch, tasks.index, ids)


@findability_changed.then
def index_author(user_id: int) -> None:
    start.on_commit(tasks.index_author, user_id)


def _may_be_indexed(status: StoredStatus) -> bool:
    return status.visibility == Visibility.PUBLIC and status.boost_of is None
