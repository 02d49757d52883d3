"""The kept events, read from the event loop."""

from typing import Any, NamedTuple

from redistools import keys
from redistools.client import get_async_client

from ..event import POST, Event

PAGE = 200


class Extent(NamedTuple):
    floor: int
    """Nothing after this position is missing, apart from deleted statuses."""

    newest: int


async def read_after(position: int, count: int = PAGE) -> list[Event]:
    """The next events, the oldest first. One round trip, O(log n + count)."""
    entries: Any = await get_async_client().xrange(
        keys.event_log(), f"({position}-0", "+", count=count
    )
    return [Event.from_log(*entry) for entry in entries]


async def newest_position() -> int:
    """0 if nothing is kept. One round trip, O(1)."""
    extent = await extent_kept()
    return extent.newest if extent else 0


async def extent_kept() -> Extent | None:
    """None if nothing is kept. One round trip, O(1)."""
    entries: Any = await get_async_client().xrevrange(keys.event_log(), "+", "-", count=1)
    for entry_id, fields in entries:
        newest = Event.from_log(entry_id, fields)
        return Extent(int(fields.get("floor", newest.before)), newest.position)
    return None


async def position_of(status_id: int) -> int | None:
    """The position of the status's post, if that is among the newest events. O(1)."""
    score: Any = await get_async_client().zscore(keys.event_marks(), f"{POST}:{status_id}")
    return None if score is None else int(score)
