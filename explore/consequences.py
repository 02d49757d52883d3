"""What counts for what is popular and what trends."""

from redistools.scripts import Batch
from statuses.publication.events import Posting, noticed, posted, reaction_changed
from statuses.reactions.rows import Reaction
from statuses.stored import StoredStatus
from taskqueue import start

from . import counting, tasks


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
