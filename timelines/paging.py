"""Pages of a timeline: from Redis as far down as it reaches, then from SQL, without a seam."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from redistools.loaded_set import Range, Slice
from statuses.models import StatusQuerySet
from statuses.selectors import hydrate
from statuses.store import StoredStatus


def make_range(
    *, max_id: int | None, since_id: int | None, min_id: int | None, limit: int
) -> Range:
    """`max_id` asks for what is older, `since_id` for the newest that came since, `min_id` for
    what came right after."""
    above = max(since_id or 0, min_id or 0)
    return Range(above, max_id, limit, "newest" if min_id is None else "oldest")


@dataclass(frozen=True)
class Source:
    """Where a timeline's ids come from."""

    read: Callable[[Range], Slice]
    """A page of what Redis holds."""

    in_sql: Callable[[], StatusQuerySet]
    """Every status of the timeline, for what Redis does not reach down to."""

    forget: Callable[[Collection[int]], None]
    """Drops ids of statuses that no longer exist."""


def page(source: Source, wanted: Range) -> list[StoredStatus]:
    """The statuses, the newest first: fewer than asked for only where the timeline ends.

    Two round trips. A third and fourth only where statuses turn out to be deleted.
    """
    found: list[StoredStatus] = []
    while wanted.limit > 0:
        ids = _ids(source, wanted)
        statuses = hydrate(ids)
        if len(statuses) < len(ids):
            source.forget(set(ids) - {status.id for status in statuses})
        found = found + statuses if wanted.end == "newest" else statuses + found
        if len(ids) < wanted.limit:
            break
        wanted = _rest(wanted, ids)._replace(limit=wanted.limit - len(statuses))
    return found


def _rest(wanted: Range, ids: list[int]) -> Range:
    """What is left of the range when these, the newest first, have been taken from its end."""
    return (
        wanted._replace(below=ids[-1]) if wanted.end == "newest" else wanted._replace(above=ids[0])
    )


def _ids(source: Source, wanted: Range) -> list[int]:
    ids, floor = source.read(wanted)
    if wanted.end == "oldest":
        return ids if wanted.above >= floor else _ids_in_sql(source, wanted)
    trusted = [status_id for status_id in ids if status_id >= floor]
    if len(trusted) == wanted.limit or wanted.above >= floor:
        return trusted
    below = min(bound for bound in (wanted.below, floor, *trusted) if bound is not None)
    rest = wanted._replace(below=below, limit=wanted.limit - len(trusted))
    return trusted + _ids_in_sql(source, rest)


def _ids_in_sql(source: Source, wanted: Range) -> list[int]:
    rows = source.in_sql().between(above=wanted.above, below=wanted.below)
    if wanted.end == "newest":
        return list(rows.newest_first().values_list("id", flat=True)[: wanted.limit])
    return list(rows.order_by("id").values_list("id", flat=True)[: wanted.limit])[::-1]
