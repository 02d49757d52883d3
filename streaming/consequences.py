"""What streams learn of, in the batch that writes the copies."""

from collections.abc import Collection

from redistools.scripts import Batch
from relations.events import FollowChange, follow_changed, viewpoints_changed
from statuses import store as statuses
from statuses.models import Status
from statuses.publication.events import Edit, Posting, Removal, changed, posted, removed
from statuses.reading.history import earlier_versions
from tags.events import tag_follow_changed
from taskqueue import start
from users.audience import Reach

from . import deletions, publishing, tasks


@posted.then
def publish(posting: Posting) -> None:
    """Statuses for mentioned people alone are in no stream: those people are notified."""
    batch, status = posting.batch, posting.status
    if posting.reach == Reach.NOBODY:
        return
    if status.boost_of is None:
        publishing.add_post(batch, status, reach=posting.reach)
    # Without its original a boost is nothing, and about to be removed.
    elif posting.boosted:
        _publish_boost(posting, posting.boosted)


def _publish_boost(posting: Posting, boosted: Status) -> None:
    (original,) = statuses.render([boosted])
    is_narrow = publishing.is_narrow(boosted)
    publishing.add_post(
        posting.batch, posting.status, original, reach=posting.reach, is_narrow=is_narrow
    )
    # The original may have been edited between two of our looks at it.
    earlier = earlier_versions(boosted)
    publishing.add_edit(
        posting.batch, posting.status, earlier, original, reach=posting.reach, is_narrow=is_narrow
    )


@changed.then
def publish_edit(edit: Edit) -> None:
    reach = edit.row.reach
    if reach != Reach.NOBODY:
        earlier = earlier_versions(edit.row)
        publishing.add_edit(edit.batch, edit.status, earlier, reach=reach)
    once = tasks.update_boosts.using(unique_key=f"boosts of {edit.status.id}")
    start.with_batch(edit.batch, once, edit.status.id, 0)


@follow_changed.then
def publish_follow(change: FollowChange) -> None:
    publishing.add_follow(
        change.batch, change.follower_id, change.followee_id, follows=change.follows
    )


@tag_follow_changed.then
def publish_tag_follow(batch: Batch, user_id: int, tag: str, *, follows: bool) -> None:
    publishing.add_tag_follow(batch, user_id, tag, follows=follows)


@viewpoints_changed.then
def publish_viewpoints(batch: Batch, user_ids: Collection[int]) -> None:
    for user_id in user_ids:
        publishing.add_viewpoint(batch, user_id)


@removed.then
def publish_deletions(removal: Removal) -> None:
    about = deletions.facts_of_each(removal.known) if removal.reach else {}
    publishing.add_deletions(
        removal.batch, removal.author_id, removal.status_ids, about, reach=removal.reach
    )
