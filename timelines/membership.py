"""What happens to a timeline that gains or loses an author. Safe to repeat, in any order."""

from statuses import store as statuses

from . import store
from .store import Change, Extent, Timeline

# How many statuses of a new author are merged at once; older ones come with the refill.
MERGED_AT_ONCE = 200
# A timeline that was cut below this is filled up again.
SHALLOW = store.TIMELINE_SIZE * 3 // 4


def begin(timeline: Timeline, author_id: int, *, is_source: bool) -> Change:
    """Merges in the newest statuses of an author who was gained: one round trip. An author who was
    lost only makes a build in progress start over: after that it is safe to look how far the
    timeline reaches.
    """
    if not is_source:
        return store.removing_author(timeline, author_id, [])
    newest = statuses.newest_ids(author_id, MERGED_AT_ONCE + 1)
    has_more = len(newest) > MERGED_AT_ONCE
    return store.merging_author(timeline, author_id, newest[:MERGED_AT_ONCE], has_more=has_more)


def finish(
    timeline: Timeline, author_id: int, extent: Extent | None, *, is_source: bool
) -> Extent | None:
    """Returns how far the timeline reaches now. Two round trips for an author who was lost: their
    profile says which ids to take out.
    """
    if is_source or extent is None or extent.length == 0:
        return extent
    lost = statuses.ids_from(author_id, extent.lowest)
    return store.removing_author(timeline, author_id, lost).run()


def is_shallow(extent: Extent | None) -> bool:
    return extent is not None and not extent.is_whole and extent.length < SHALLOW
