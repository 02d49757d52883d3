"""Pages of a timeline: from Redis as far down as it reaches, then from SQL, without a seam."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TypedDict, Unpack

from redistools.loaded_set import End, Range, Slice
from statuses.models import StatusQuerySet
from statuses.selectors import show
from statuses.stored import StoredStatus
from users.models import User

PAGE_SIZE = 30
# Read in some ten milliseconds.
MOST_AT_ONCE = 400


class Cursors(TypedDict, total=False):
    """Which page of a timeline. All are optional; ids are exclusive."""

    max_id: int | None
    """What is older than this status."""

    since_id: int | None
    """The newest of what came after it."""

    min_id: int | None
    """What came right after it."""

    limit: int
    """At most so many statuses; by default `PAGE_SIZE`."""


def make_range(**cursors: Unpack[Cursors]) -> Range:
    min_id = cursors.get("min_id")
    above = max(cursors.get("since_id") or 0, min_id or 0)
    end: End = "newest" if min_id is None else "oldest"
    return Range(above, cursors.get("max_id"), cursors.get("limit", PAGE_SIZE), end)


@dataclass(frozen=True)
class Source:
    """Where a timeline's ids come from."""

    read: Callable[[Range], Slice]
    """A page of what Redis holds."""

    in_sql: Callable[[], StatusQuerySet]
    """Every status of the timeline, for what Redis does not reach down to."""

    forget: Callable[[Collection[int]], None]
    """Drops ids of statuses that no longer exist."""


def page(source: Source, wanted: Range, *, viewer: User | None) -> list[StoredStatus]:
    """The statuses, the newest first: fewer than asked for only where the timeline ends.

    Two round trips. More only where statuses turn out to be gone (deleted: their ids are dropped)
    or hidden (from this viewer, for now: their ids stay). Twice as many as were left out are asked
    for next, so a home full of them is passed in a few steps.
    """
    found: list[StoredStatus] = []
    asked = wanted
    while True:
        ids = _ids(source, asked, viewer)
        shown, gone = show(ids, viewer=viewer)
        if gone:
            source.forget(gone)
        found = found + shown if wanted.end == "newest" else shown + found
        if len(found) >= wanted.limit or len(ids) < asked.limit:
            return found[: wanted.limit] if wanted.end == "newest" else found[-wanted.limit :]
        limit = max(wanted.limit - len(found), 2 * (len(ids) - len(shown)))
        asked = _rest(asked, ids)._replace(limit=min(limit, MOST_AT_ONCE))


def _rest(wanted: Range, ids: list[int]) -> Range:
    """What is left of the range when these, the newest first, have been taken from its end."""
    return (
        wanted._replace(below=ids[-1]) if wanted.end == "newest" else wanted._replace(above=ids[0])
    )


def _ids(source: Source, wanted: Range, viewer: User | None) -> list[int]:
    ids, floor = source.read(wanted)
    if wanted.end == "oldest":
        return ids if wanted.above >= floor else _ids_in_sql(source, wanted, viewer)
    trusted = [status_id for status_id in ids if status_id >= floor]
    if len(trusted) == wanted.limit or wanted.above >= floor:
        return trusted
    below = min(bound for bound in (wanted.below, floor, *trusted) if bound is not None)
    rest = wanted._replace(below=below, limit=wanted.limit - len(trusted))
    return trusted + _ids_in_sql(source, rest, viewer)


def _ids_in_sql(source: Source, wanted: Range, viewer: User | None) -> list[int]:
    rows = source.in_sql().visible_to(viewer).between(above=wanted.above, below=wanted.below)
    if wanted.end == "newest":
        return list(rows.newest_first().values_list("id", flat=True)[: wanted.limit])
    return list(rows.order_by("id").values_list("id", flat=True)[: wanted.limit])[::-1]
