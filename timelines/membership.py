"""What happens to a timeline that gains or loses an author. Safe to repeat, in any order."""

from redistools.scripts import Batch
from statuses import store as statuses

from . import store
from .store import Extent
from .timeline import Timeline

# How many statuses of a new author are merged at once; older ones come with the refill.
MERGED_AT_ONCE = 200
# A timeline that was cut below this is filled up again.
SHALLOW = store.TIMELINE_SIZE * 3 // 4


def gain(timeline: Timeline, author_id: int, batch: Batch | None = None) -> Extent | None:
    """Returns how far the timeline reaches now. Two round trips when everything is known; `batch`
    goes along with the last.
    """
    newest = statuses.newest_ids(author_id, MERGED_AT_ONCE + 1)
    has_more = len(newest) > MERGED_AT_ONCE
    return store.merge_author(
        timeline, author_id, newest[:MERGED_AT_ONCE], has_more=has_more, batch=batch
    )


def lose(timeline: Timeline, author_id: int, batch: Batch | None = None) -> Extent | None:
    """The author's profile says which ids to take out, as far down as the timeline reaches.

    Returns how far that is now. Three round trips when everything is known; `batch` goes along with
    the first. A build in progress starts over, without the author; only then is it safe to look how
    far the timeline reaches.
    """
    extent = store.remove_author(timeline, author_id, [], batch=batch)
    if extent is None or extent.length == 0:
        return extent
    return store.remove_author(timeline, author_id, statuses.ids_from(author_id, extent.lowest))


def is_shallow(extent: Extent | None) -> bool:
    """Has the timeline been cut so far that a reader would soon need SQL?"""
    return extent is not None and not extent.is_whole and extent.length < SHALLOW
