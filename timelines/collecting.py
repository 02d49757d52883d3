"""The newest statuses of many authors, from their profile timelines or, where unknown, SQL."""

from collections.abc import Collection, Iterable, Sequence

from redistools import keys, loaded_set
from redistools.chunks import chunks
from redistools.client import get_client
from redistools.loaded_set import Loaded
from statuses.models import Status

# How many of each author to take in the first pass; the next takes four times as many.
FIRST_TAKE = 20
# Most authors in one IN; more take several queries.
AUTHORS_PER_QUERY = 5_000


def collect(author_ids: Collection[int], *, limit: int) -> Loaded:
    """The `limit` newest statuses of these authors together.

    Most authors post rarely and are done after the first pass. Only those who may have more of the
    newest are read again, so few ids cross the network for nothing.
    """
    asked, take, found = list(author_ids), FIRST_TAKE, set[int]()
    while asked:
        profiles = _newest_of(asked, take)
        if profiles is None:
            return collect_from_sql(author_ids, limit=limit)
        found.update(*profiles.values())
        lowest = _lowest_wanted(found, limit)
        asked = [
            author for author, ids in profiles.items() if len(ids) == take and ids[-1] >= lowest
        ]
        if take >= limit:
            break
        take = min(4 * take, limit)
    newest = sorted(found, reverse=True)[:limit]
    return Loaded(dict(zip(newest, newest, strict=True)), whole=len(found) < limit)


def collect_from_sql(author_ids: Collection[int], *, limit: int) -> Loaded:
    ids: list[int] = []
    for authors in chunks(author_ids, AUTHORS_PER_QUERY):
        rows = Status.objects.filter(author_id__in=authors).in_timelines().newest_first()
        ids += rows.values_list("id", flat=True)[:limit]
    newest = sorted(ids, reverse=True)[:limit]
    return Loaded(dict(zip(newest, newest, strict=True)), whole=len(ids) < limit)


def _newest_of(author_ids: Sequence[int], take: int) -> dict[int, list[int]] | None:
    """None if Redis does not know one of the profiles that far down. One round trip."""
    profiles = [keys.profile(author_id) for author_id in author_ids]
    pages = zip(author_ids, loaded_set.highest(get_client(), profiles, take), strict=True)
    found = {author_id: page for author_id, page in pages if page is not None}
    return found if len(found) == len(profiles) else None


def _lowest_wanted(found: Iterable[int], limit: int) -> int:
    newest = sorted(found, reverse=True)[:limit]
    return newest[-1] if len(newest) == limit else 0
