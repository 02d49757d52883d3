"""What streams learn of, in the batch that writes the copies."""

from relations.events import follow_changed, viewpoints_changed
from statuses.publication.events import Edit, Removal, changed, posted, removed
from statuses.reading.history import earlier_versions
from tags.events import tag_follow_changed
from taskqueue import start
from users.audience import Reach

from . import deletions, publishing, tasks

posted.then(publishing.add_posting)
follow_changed.then(publishing.add_follow)
tag_follow_changed.then(publishing.add_tag_follow)
viewpoints_changed.then(publishing.add_viewpoints)


@changed.then
def publish_edit(edit: Edit) -> None:
    reach = edit.row.reach
    if reach != Reach.NOBODY:
        earlier = earlier_versions(edit.row)
        publishing.add_edit(edit.batch, edit.status, earlier, reach=reach)
    once = tasks.update_boosts.using(unique_key=f"boosts of {edit.status.id}")
    start.with_batch(edit.batch, once, edit.status.id, 0)


@removed.then
def publish_deletions(removal: Removal) -> None:
    about = deletions.facts_of_each(removal.known) if removal.reach else {}
    publishing.add_deletions(
        removal.batch, removal.author_id, removal.status_ids, about, reach=removal.reach
    )
