"""What counts for what is popular and what trends, and what changes whom to suggest."""

from redistools.client import get_client
from redistools.scripts import Batch
from relations.events import FollowChange, follow_changed
from statuses.publication.events import Posting, noticed, posted, reaction_changed
from statuses.reactions.rows import Reaction
from statuses.stored import StoredStatus
from tags.events import tag_follow_changed
from taskqueue import start
from users.events import left

from . import counting, tasks
from .people import store as suggested


@posted.then
def count_boost(posting: Posting) -> None:
    """At once: all that it needs is at hand, so a task would cost more."""
    if posting.boosted:
        counting.count_boost(posting.batch, posting.status, posting.boosted)


@noticed.then
def count_status(batch: Batch, status: StoredStatus) -> None:
    counting.count_status(batch, status)


@reaction_changed.then
def count_like(batch: Batch, _reaction: Reaction, user_id: int, status_id: int) -> None:
    start.with_batch(batch, tasks.count_like, user_id, status_id)


@follow_changed.then
def suggest_again_soon(change: FollowChange) -> None:
    suggested.make_due(change.batch, change.follower_id)


@tag_follow_changed.then
def suggest_anew(batch: Batch, user_id: int, _tag: str, **_how: bool) -> None:
    """At once: a newcomer chooses interests first and people next."""
    suggested.forget(batch, user_id)


@left.then
def forget_suggestions(user_id: int) -> None:
    batch = Batch(get_client())
    suggested.forget(batch, user_id)
    suggested.forget_due(batch, user_id)
    batch.run()
