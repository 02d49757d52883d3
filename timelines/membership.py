"""What happens to a timeline that gains or loses an author. Any number of times, in any order."""

from redistools import keys, loaded_set
from redistools.client import get_client
from redistools.loaded_set import Range
from statuses import store as statuses

from . import store
from .timeline import Timeline

# So many statuses of a new author are there at once; older ones come with the refill.
MERGED_AT_ONCE = 200
EVERYTHING = Range(limit=10**6)
# A timeline that was cut below this is filled up again.
SHALLOW = store.TIMELINE_SIZE * 3 // 4


def gain(timeline: Timeline, author_id: int) -> None:
    statuses.ensure_profiles([author_id])
    newest = loaded_set.highest(get_client(), keys.profile(author_id), MERGED_AT_ONCE + 1)
    has_more = len(newest) > MERGED_AT_ONCE
    store.merge_author(timeline, author_id, newest[:MERGED_AT_ONCE], has_more=has_more)


def lose(timeline: Timeline, author_id: int) -> None:
    """The author's profile tells which ids to take out, as far down as the timeline reaches."""
    if not store.is_known(timeline):
        store.remove_author(timeline, author_id, [])
        return
    lowest = min(store.read(timeline, EVERYTHING).ids, default=0)
    statuses.ensure_profiles([author_id])
    theirs = loaded_set.from_score(get_client(), keys.profile(author_id), lowest)
    store.remove_author(timeline, author_id, theirs)


def is_shallow(timeline: Timeline) -> bool:
    """Has it been cut so far that a reader would soon need SQL?"""
    if not store.is_known(timeline):
        return False
    ids, floor = store.read(timeline, EVERYTHING)
    return floor > 0 and len(ids) < SHALLOW
