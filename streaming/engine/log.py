"""The kept events, read from the event loop."""

from operator import attrgetter
from typing import Any, NamedTuple

from redistools import keys
from redistools.client import get_async_client

from ..event import POST, StreamEvent

PAGE = 200


class LogExtent(NamedTuple):
    floor: int  # nothing after this position is missing, apart from deleted statuses
    newest: int


async def read_after(
    position: int, count: int = PAGE, *, private: bool = True
) -> list[StreamEvent]:
    """Returns the next events, oldest first; without `private`, only public ones. O(log n + count).

    One command reads both logs, whose keys share a slot: of two reads, the second could find an
    event that is later than one which the first did not find yet.
    """
    logs = {keys.event_log(): False} | ({keys.private_log(): True} if private else {})
    found: Any = await get_async_client().xread(dict.fromkeys(logs, f"{position}-0"), count=count)
    pages = [
        [StreamEvent.from_log(*entry, is_private=logs[name]) for entry in entries]
        for name, entries in found
    ]
    # Beyond the end of a page that is full, the other log may be ahead of it.
    known = min((page[-1].position for page in pages if len(page) == count), default=None)
    events = sorted((event for page in pages for event in page), key=attrgetter("position"))
    return [event for event in events if known is None or event.position <= known]


async def newest_position() -> int:
    extent = await extent_kept()
    return extent.newest if extent else 0


async def extent_kept() -> LogExtent | None:
    found = [it for key in (keys.event_log(), keys.private_log()) if (it := await _extent(key))]
    if not found:
        return None
    return LogExtent(max(it.floor for it in found), max(it.newest for it in found))


async def _extent(key: str) -> LogExtent | None:
    entries: Any = await get_async_client().xrevrange(key, "+", "-", count=1)
    for entry_id, fields in entries:
        newest = StreamEvent.from_log(entry_id, fields)
        return LogExtent(int(fields.get("floor", newest.before)), newest.position)
    return None


async def position_of(status_id: int) -> int | None:
    """Returns where the status was posted, if that is among the newest events. O(1)."""
    score: Any = await get_async_client().zscore(keys.event_marks(), f"{POST}:{status_id}")
    return None if score is None else int(score)
