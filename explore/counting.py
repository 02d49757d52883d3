"""Counting what people say, pass on, answer and like. Counting something twice counts it once."""

from itertools import islice

from redistools.scripts import Batch
from statuses.models import Status
from statuses.reactions.rows import reaction_id
from statuses.store import find_statuses
from statuses.stored import StoredStatus
from users.audience import Visibility
from users.rows import COLUMNS as ACCOUNTS

from . import store

# A status that names everything says nothing.
MOST_TAGS = 5


def count_like(batch: Batch, user_id: int, status_id: int) -> None:
    like_id = reaction_id("like", user_id, status_id)
    if like_id is not None:
        _count_for_others(batch, status_id, "like", user_id=user_id, event_id=like_id)


def count_boost(batch: Batch, boost: StoredStatus, boosted: Status) -> None:
    """Nobody makes their own posts popular."""
    if boosted.author_id != boost.author_id and boosted.visibility == Visibility.PUBLIC:
        store.count_post(batch, boosted.pk, "boost", user_id=boost.author_id, event_id=boost.id)


def count_status(batch: Batch, status: StoredStatus) -> None:
    _count_tags(batch, status)
    if status.reply_to is not None:
        _count_for_others(
            batch, status.reply_to, "reply", user_id=status.author_id, event_id=status.id
        )


def _count_tags(batch: Batch, status: StoredStatus) -> None:
    tags = dict(islice(status.tags.items(), MOST_TAGS))
    if not tags or status.visibility != Visibility.PUBLIC:
        return
    author = ACCOUNTS.by_id(status.author_id)
    if author is None or author.is_followers_only:
        return
    for tag, written in tags.items():
        store.count_tag(batch, tag, written=written, user_id=status.author_id, event_id=status.id)


def _count_for_others(
    batch: Batch, status_id: int, response: store.Response, *, user_id: int, event_id: int
) -> None:
    """Ignores the author's own: nobody makes their own posts popular."""
    for status in find_statuses([status_id]).values():
        if status.author_id != user_id and status.visibility == Visibility.PUBLIC:
            store.count_post(batch, status_id, response, user_id=user_id, event_id=event_id)
