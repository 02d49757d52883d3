"""What a user liked or bookmarked, as a timeline in the order of doing so: the ids of likes and
bookmarks are its cursors.

Gone and hidden statuses are skipped, and stay in the sets: what belonged to a deleted status is
removed bit by bit, and a hidden one may be shown again.
"""

from statuses.reactions import store as reaction_store
from statuses.reactions.rows import Reaction
from statuses.reading.shown import ShownStatus, StatusPage
from statuses.selectors import show
from users.models import User
from web.pager import Step, page, rest_after

from .paging import PAGE_SIZE


def liked(user: User, *, viewer: User | None, max_id: int | None = None) -> StatusPage:
    return _page("like", user, viewer, max_id)


def bookmarked(user: User, *, max_id: int | None = None) -> StatusPage:
    return _page("bookmark", user, user, max_id)


def _page(reaction: Reaction, user: User, viewer: User | None, max_id: int | None) -> StatusPage:
    def read(below: int | None, limit: int) -> Step[list[tuple[int, int]], int]:
        pairs = reaction_store.newest(reaction, user.pk, below=below, limit=limit)
        return Step(pairs, rest_after([row_id for _, row_id in pairs], limit))

    def keep(pairs: list[tuple[int, int]]) -> list[tuple[int, ShownStatus]]:
        shown = {it.id: it for it in show([it for it, _ in pairs], viewer=viewer).statuses}
        return [(row_id, shown[it]) for it, row_id in pairs if it in shown]

    rows, older = page(read, keep, max_id, size=PAGE_SIZE, cursor_of=lambda row: row[0])
    statuses = [status for _, status in rows]
    return StatusPage(statuses, older=older, is_first=max_id is None)
