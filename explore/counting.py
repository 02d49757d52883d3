"""Counting what people say, pass on, answer and like. Counting something twice counts it once."""

from itertools import islice

from redistools.scripts import Batch
from statuses.reactions.rows import reaction_id
from statuses.store import find_statuses
from statuses.stored import StoredStatus
from users.audience import Visibility
from users.models import User

from . import store

# A status that names everything says nothing.
MOST_TAGS = 5


def count_like(batch: Batch, user_id: int, status_id: int) -> None:
    """Nothing if the like was taken back by now."""
    like_id = reaction_id("like", user_id, status_id)
    if like_id is not None:
        _count_for_others(batch, status_id, "like", user_id=user_id, event_id=like_id)


def count_status(batch: Batch, status: StoredStatus) -> None:
    """Its tags, and what it boosts or answers."""
    _count_tags(batch, status)
    response: store.Response = "boost" if status.boost_of else "reply"
    if status.counted_at is not None:
        _count_for_others(
            batch, status.counted_at, response, user_id=status.author_id, event_id=status.id
        )


def _count_tags(batch: Batch, status: StoredStatus) -> None:
    tags = dict(islice(status.tags.items(), MOST_TAGS))
    if not tags or status.visibility != Visibility.PUBLIC or not _is_open(status.author_id):
        return
    for tag, written in tags.items():
        store.count_tag(batch, tag, written=written, user_id=status.author_id, event_id=status.id)


def _is_open(author_id: int) -> bool:
    """May everybody see what they say? One query."""
    authors = User.objects.filter(pk=author_id, is_private=False, is_silenced=False)
    return authors.exists()


def _count_for_others(
    batch: Batch, status_id: int, response: store.Response, *, user_id: int, event_id: int
) -> None:
    """Nobody makes their own posts popular."""
    for status in find_statuses([status_id]).values():
        if status.author_id != user_id and status.visibility == Visibility.PUBLIC:
            store.count_post(batch, status_id, response, user_id=user_id, event_id=event_id)
