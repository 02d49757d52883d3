"""Counting what people do. Ids in; running a task twice counts once."""

from itertools import islice

from redistools.client import get_client
from redistools.scripts import Batch
from statuses import own
from statuses.store import find_statuses
from statuses.stored import StoredStatus
from statuses.words.tags import fold
from taskqueue.task import task
from users.audience import Visibility
from users.models import User

from . import store

# A status that names everything says nothing.
MOST_TAGS = 5


@task()
def count_like(user_id: int, status_id: int) -> None:
    """Does nothing if the like was taken back by now."""
    like_id = own.rows_in_sql("likes", user_id, among=[status_id]).get(status_id)
    batch = Batch(get_client())
    if like_id is not None:
        _count_for_others(batch, status_id, "like", user_id=user_id, event_id=like_id)
    batch.run()


@task()
def count_status(status_id: int) -> None:
    """Its tags, and what it boosts or answers. A deleted one counts for nothing."""
    for status in find_statuses([status_id]).values():
        batch = Batch(get_client())
        _count_tags(batch, status)
        deed: store.Deed = "boost" if status.boost_of else "reply"
        if status.counted_at is not None:
            _count_for_others(
                batch, status.counted_at, deed, user_id=status.author_id, event_id=status.id
            )
        batch.run()


def _count_tags(batch: Batch, status: StoredStatus) -> None:
    if status.visibility != Visibility.PUBLIC or not _is_open(status.author_id):
        return
    for tag, written in tags_of(status).items():
        store.count_tag(batch, tag, written=written, user_id=status.author_id, event_id=status.id)


def _is_open(author_id: int) -> bool:
    """May everybody see what they say? One query."""
    authors = User.objects.filter(pk=author_id, is_private=False, is_silenced=False)
    return authors.exists()


def tags_of(status: StoredStatus) -> dict[str, str]:
    """How its first tags are written, by their folded names."""
    written: dict[str, str] = {}
    for entity in status.found:
        if entity.kind == "hashtag" and (folded := fold(entity.value)):
            written.setdefault(folded, entity.value)
    return dict(islice(written.items(), MOST_TAGS))


def _count_for_others(
    batch: Batch, status_id: int, deed: store.Deed, *, user_id: int, event_id: int
) -> None:
    """Nobody makes their own posts popular."""
    for status in find_statuses([status_id]).values():
        if status.author_id != user_id and status.visibility == Visibility.PUBLIC:
            store.count_post(batch, status_id, deed, user_id=user_id, event_id=event_id)
