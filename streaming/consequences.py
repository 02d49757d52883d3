"""What streams learn of, in the batch that writes the copies."""

from collections.abc import Mapping

from relations.events import follow_changed, viewpoints_changed
from statuses import store as statuses
from statuses.models import Status
from statuses.publication.events import Edit, Removal, changed, posted, removed
from statuses.reading.history import earlier_texts, earlier_versions
from statuses.stored import StoredStatus
from tags.events import tag_follow_changed
from taskqueue import start
from users.audience import Reach

from . import publishing, tasks
from .event import StatusFacts, facts_of

posted.then(publishing.add_posting)
follow_changed.then(publishing.add_follow)
tag_follow_changed.then(publishing.add_tag_follow)
viewpoints_changed.then(publishing.add_viewpoints)


@changed.then
def publish_edit(edit: Edit) -> None:
    reach = edit.row.reach
    if reach != Reach.NOBODY:
        earlier = earlier_versions(edit.row)
        is_findable = edit.row.author.posts_are_searchable
        publishing.add_edit(edit.batch, edit.status, earlier, reach=reach, is_findable=is_findable)
    once = tasks.update_boosts.using(unique_key=f"boosts of {edit.status.id}")
    start.with_batch(edit.batch, once, edit.status.id, 0)


@removed.then
def publish_deletions(removal: Removal) -> None:
    about = facts_of_each(removal.known) if removal.reach else {}
    publishing.add_deletions(
        removal.batch, removal.author_id, removal.status_ids, about, reach=removal.reach
    )


def facts_of_each(known: Mapping[int, StoredStatus]) -> dict[int, StatusFacts]:
    """As far as Redis and SQL still know. Originals that are no longer public are left out, though
    public streams may have had their boosts.
    """
    originals = _originals_for_everybody(known)
    earlier = earlier_texts([it.id for it in known.values() if it.edited_ms])
    facts = {
        status_id: facts_of(stored, originals.get(stored.boost_of or 0))
        for status_id, stored in known.items()
    }
    for status_id, texts in earlier.items():
        before = [facts_of(known[status_id].saying(text)) for text in texts]
        facts[status_id] = facts[status_id].including(before)
    return facts


def _originals_for_everybody(known: Mapping[int, StoredStatus]) -> dict[int, StoredStatus]:
    boosted = {it.boost_of for it in known.values() if it.boost_of}
    if not boosted:
        return {}
    listed = Status.objects.listed().filter(pk__in=boosted)
    return statuses.find_statuses(list(listed.values_list("pk", flat=True)))
