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
    """Statuses older than this one."""

    since_id: int | None
    """The newest of the statuses after this one."""

    min_id: int | None
    """The statuses right after this one."""

    limit: int
    """How many at most; `PAGE_SIZE` by default."""


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
    """Every status of the timeline, for what is older than Redis reaches."""

    forget: Callable[[Collection[int]], None]
    """Drops ids of statuses that no longer exist."""


def page(source: Source, wanted: Range, *, viewer: User | None) -> list[StoredStatus]:
    """The statuses, newest first: fewer than asked for only at the end of the timeline.

    Two round trips. More only if statuses turn out to be gone (deleted: their ids are dropped) or
    hidden (from this viewer, for now: their ids stay). The next read asks for twice as many as were
    left out, so a home full of them takes few steps.
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
    """What is left of the range once these, newest first, have been taken from its end."""
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
