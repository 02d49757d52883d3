"""The newest statuses of many authors, from their profile timelines or, where unknown, SQL."""

from collections.abc import Callable, Collection, Iterable, Sequence

from redistools import keys, loaded_set
from redistools.client import get_client
from redistools.loaded_set import Loaded
from statuses.rows import newest_of_each

# How many of each author to take in the first pass; the next takes four times as many.
FIRST_TAKE = 20

# The newest ids of each author; None if one of them is unknown here.
Read = Callable[[Sequence[int], int], dict[int, list[int]] | None]


def collect(author_ids: Collection[int], *, limit: int) -> Loaded:
    """The `limit` newest statuses of these authors together."""
    held = _collect(author_ids, limit, _newest_held)
    return collect_from_sql(author_ids, limit=limit) if held is None else held


def collect_from_sql(author_ids: Collection[int], *, limit: int) -> Loaded:
    """One query for each pass."""
    found = _collect(author_ids, limit, newest_of_each)
    assert found is not None  # noqa: S101 - SQL knows all
    return found


def _collect(author_ids: Collection[int], limit: int, read: Read) -> Loaded | None:
    """Most authors post rarely and are done after the first pass. Only those who may have more of
    the newest are read again, so few ids cross the network for nothing.
    """
    asked, take, found = list(author_ids), min(FIRST_TAKE, limit), set[int]()
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
    """None if Redis does not know one of the profiles that far down. One round trip."""
    profiles = [keys.profile(author_id) for author_id in author_ids]
    pages = zip(author_ids, loaded_set.highest(get_client(), profiles, take), strict=True)
    found = {author_id: page for author_id, page in pages if page is not None}
    return found if len(found) == len(profiles) else None


def _lowest_wanted(found: Iterable[int], limit: int) -> int:
    newest = sorted(found, reverse=True)[:limit]
    return newest[-1] if len(newest) == limit else 0
