"""The newest statuses of many authors, from their profile timelines or, where unknown, SQL."""

import sys
from collections.abc import Callable, Collection, Iterable, Sequence

from django.db import connection

from redistools import keys, loaded_set
from redistools.client import get_client
from redistools.loaded_set import Loaded
from statuses.models import StatusQuerySet
from statuses.rows import first_of_each, newest_of_each

# How many of each author to take in the first pass; the next takes four times as many.
FIRST_TAKE = 20

# The newest ids of each author; None if one of them is unknown here.
Read = Callable[[Sequence[int], int], dict[int, list[int]] | None]


def collect(author_ids: Collection[int], *, limit: int) -> Loaded:
    held = _collect(author_ids, limit, _newest_held)
    return collect_from_sql(author_ids, limit=limit) if held is None else held


def collect_from_sql(author_ids: Collection[int], *, limit: int) -> Loaded:
    found = _collect(author_ids, limit, newest_of_each)
    assert found is not None  # noqa: S101 - SQL knows all
    return found


def first_in_sql(rows: StatusQuerySet, author_ids: Collection[int], *, limit: int) -> list[int]:
    """The first of these rows by any of these authors; rows are in the order of ids, or reversed.

    SQLite finds them author by author. PostgreSQL may prefer to walk through what anybody says, so
    it is asked author by author, a few from each at first.
    """
    if connection.vendor != "postgresql":
        return list(rows.filter(author_id__in=author_ids).values_list("id", flat=True)[:limit])
    sign = 1 if rows.query.order_by == ("-id",) else -1

    def read(asked: Sequence[int], take: int) -> dict[int, list[int]]:
        found = first_of_each(rows, asked, take)
        return {who: sorted((sign * it for it in ids), reverse=True) for who, ids in found.items()}

    first_take = 1 + 4 * limit // max(1, len(author_ids))
    found = _collect(author_ids, limit, read, first_take=first_take)
    return [sign * it for it in found.scores] if found else []


def _collect(
    author_ids: Collection[int], limit: int, read: Read, *, first_take: int = FIRST_TAKE
) -> Loaded | None:
    """Most authors post rarely and are done after the first pass. Only those who may have more of
    the newest are read again, so few ids cross the network for nothing.
    """
    asked, take, found = list(author_ids), min(first_take, limit), set[int]()
    while asked:
        newest = read(asked, take)
        if newest is None:
            return None
        found.update(*newest.values())
        lowest = _lowest_wanted(found, limit)
        asked = [author for author, ids in newest.items() if len(ids) == take and ids[-1] >= lowest]
        if take >= limit:
            break
        take = min(4 * take, limit)
    first = sorted(found, reverse=True)[:limit]
    return Loaded(dict(zip(first, first, strict=True)), whole=len(found) < limit)


def _newest_held(author_ids: Sequence[int], take: int) -> dict[int, list[int]] | None:
    """Returns None if Redis does not know one of the profiles that far down. One round trip."""
    profiles = [keys.profile(author_id) for author_id in author_ids]
    pages = zip(author_ids, loaded_set.highest(get_client(), profiles, take), strict=True)
    found = {author_id: page for author_id, page in pages if page is not None}
    return found if len(found) == len(profiles) else None


def _lowest_wanted(found: Iterable[int], limit: int) -> int:
    newest = sorted(found, reverse=True)[:limit]
    return newest[-1] if len(newest) == limit else -sys.maxsize
