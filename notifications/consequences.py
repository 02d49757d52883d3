"""Who is to be notified of what happened."""

from collections.abc import Collection

from redistools.chunks import chunks
from redistools.scripts import Batch
from relations.events import FollowChange, follow_changed, requests_changed
from search.events import found_for_searches
from statuses.publication.events import Posting, Removal, noticed, posted, reaction_changed, removed
from statuses.reactions.rows import Reaction
from statuses.stored import StoredStatus
from taskqueue import start
from users.events import before_leaving
from users.models import User

from . import tasks
from .grouping.kinds import Group
from .grouping.traces import groups_of_others


@posted.then
def notify_of_boost(posting: Posting) -> None:
    if original := posting.status.boost_of:
        start.with_batch(posting.batch, tasks.once_about("boost", original), original)


@noticed.then
def notify_of_status(_batch: Batch, status: StoredStatus) -> None:
    tasks.notify_addressed(status)


@reaction_changed.then
def notify_of_like(batch: Batch, _reaction: Reaction, _user_id: int, status_id: int) -> None:
    """Notifies the author. Many likes at once are one task."""
    start.with_batch(batch, tasks.once_about("like", status_id), status_id)


@follow_changed.then
def notify_of_follow(change: FollowChange) -> None:
    for follow_id in change.changed:
        tasks.add_follows_changed(change.batch, change.followee_id, follow_id)


@requests_changed.then
def notify_of_requests(followee_id: int, request_ids: Collection[int]) -> None:
    tasks.requests_changed_on_commit(followee_id, request_ids)


@removed.then
def forget_removed(removal: Removal) -> None:
    for status_id in removal.status_ids:
        start.with_batch(removal.batch, tasks.status_deleted, status_id)
    if removal.counted_at is not None:
        start.with_batch(removal.batch, tasks.boost_removed, removal.counted_at, removal.author_id)


@found_for_searches.then
def notify_of_searches(searches: Collection[tuple[int, int]]) -> None:
    groups = [Group(user_id, "search", search_id) for user_id, search_id in searches]
    some = chunks(groups, tasks.LINK_SIZE)
    start.all_on_commit([start.call(tasks.reconcile_groups, it) for it in some])


@before_leaving.then
def forget_notifications(user: User) -> None:
    start.parts_on_commit(tasks.forget, user.notifications.values_list("id", flat=True))
    groups = chunks(groups_of_others(user), tasks.LINK_SIZE)
    start.all_on_commit([start.call(tasks.reconcile_groups, some) for some in groups])
