"""Who liked or boosted a status: from SQL, by index; the people from Redis."""

from functools import partial

from relations.selectors import People, people_page
from relations.store import Edge, EdgePage
from users.models import User
from users.standing.suspension import suspended_ids

from ..models import Like, Status


def likers(status_id: int, *, viewer: User | None, max_id: int | None = None) -> People:
    """Newest first. `max_id` is the cursor of the page before. One query, three round trips."""
    return people_page(partial(_newest_likes, status_id), viewer, max_id)


def boosters(status_id: int, *, viewer: User | None, max_id: int | None = None) -> People:
    """Leaves out boosts that the viewer may not see. Costs what `likers` costs."""
    return people_page(partial(_newest_boosts, status_id, viewer), viewer, max_id)


def _newest_likes(status_id: int, *, below: int | None, limit: int) -> EdgePage:
    rows = Like.objects.filter(status_id=status_id).order_by("-id")
    older = rows if below is None else rows.filter(id__lt=below)
    return _page(list(older.values_list("id", "user_id")[:limit]))


def _newest_boosts(
    status_id: int, viewer: User | None, *, below: int | None, limit: int
) -> EdgePage:
    rows = Status.objects.filter(boost_of_id=status_id).visible_to(viewer).between(below=below)
    return _page(list(rows.newest_first().values_list("id", "author_id")[:limit]))


def _page(pairs: list[tuple[int, int]]) -> EdgePage:
    return EdgePage([Edge(*pair) for pair in pairs], suspended_ids())
