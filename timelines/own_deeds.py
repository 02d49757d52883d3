"""What a user liked or bookmarked, as a timeline: in the order in which they did it, so the ids of
likes and bookmarks are its cursors.

Gone and hidden statuses are skipped, and stay in the sets: what belonged to a deleted status is
removed bit by bit, and a hidden one may be shown again.
"""

from statuses import own
from statuses.own import Deed
from statuses.selectors import show
from statuses.shown import ShownStatus
from users.models import User

from .paging import PAGE_SIZE
from .status_page import StatusPage

# How far a page looks past what it can't show: at most this many reads, each longer than the one
# before.
ROUNDS, MOST_AT_ONCE = 8, 400


def liked(user: User, *, viewer: User | None, max_id: int | None = None) -> StatusPage:
    """What the user likes. Two round trips, no SQL."""
    return _page("likes", user, viewer, max_id)


def bookmarked(user: User, *, max_id: int | None = None) -> StatusPage:
    """What the user keeps, for themselves alone. Two round trips, no SQL."""
    return _page("bookmarks", user, user, max_id)


def _page(deed: Deed, user: User, viewer: User | None, max_id: int | None) -> StatusPage:
    statuses, older = _visible(deed, user, viewer, max_id)
    return StatusPage(statuses, older=older, newer=None, is_first=max_id is None)


def _visible(
    deed: Deed, user: User, viewer: User | None, below: int | None
) -> tuple[list[ShownStatus], int | None]:
    """A full page if there can be one, and the cursor of the next. If thousands in a row can't be
    shown, the page ends early, and the next one continues.
    """
    found: list[tuple[int, ShownStatus]] = []
    # One more than is shown: is there another page?
    asked = PAGE_SIZE + 1
    for _ in range(ROUNDS):
        pairs = own.newest(deed, user.pk, below=below, limit=asked)
        entries = {it.id: it for it in show([it for it, _ in pairs], viewer=viewer).statuses}
        found += [(row_id, entries[it]) for it, row_id in pairs if it in entries]
        if len(found) > PAGE_SIZE:
            return [entry for _, entry in found[:PAGE_SIZE]], found[PAGE_SIZE - 1][0]
        if len(pairs) < asked:
            return [entry for _, entry in found], None
        below, asked = pairs[-1][1], min(2 * asked, MOST_AT_ONCE)
    return [entry for _, entry in found], below
