"""Coming back to where one left: what was missed, then live, with no gap and no repeat."""

from collections.abc import Sequence

from django.utils import timezone

from redistools.ids import first_id_at, time_of

from . import log
from .client import Client
from .event import Event
from .hub import Hub
from .matching import matches
from .refusal import Refusal, bad_position
from .threads import in_thread
from .turns import Slice
from .visible import shown_now

LARGEST_POSITION = 2**53


async def position_after_event(text: str) -> int:
    """Of `Last-Event-ID`. Raises Refusal."""
    return await _kept(_number(text))


async def position_after_status(text: str) -> int:
    """Of `since_id`. Raises Refusal.

    Positions are made like ids, and no number is both: what names no status that the log knows is
    the position of an event, or stands for the time the status was posted at.
    """
    status_id = _number(text)
    known = await log.position_of(status_id)
    return await _kept(status_id if known is None else known)


async def replay(hub: Hub, client: Client, *, after: int) -> None:
    """Send what the client asked for out of the log, as fast as it reads; then go live.

    Between the last look at the hub and going live nothing is awaited, so no event slips by;
    those that came out of the log and are still on their way to the hub, the client passes over.
    """
    client.position = position = after
    while position < hub.position and not client.closed:
        async with hub.turns.turn_of(client.visitor.user_id) as time_slice:
            page = await log.read_after(position)
            shown = await _shown(client, page, time_slice)
        if not page:
            break
        # Outside the turn: somebody who reads slowly keeps nobody else waiting.
        for event in shown:
            await client.replay(event)
        client.position = position = page[-1].position
    hub.go_live(client, after=position)


async def _shown(client: Client, page: Sequence[Event], time_slice: Slice) -> list[Event]:
    """What the client gets of them, framed already."""
    wanted = []
    for event in page:
        await time_slice.pause_if_over()
        if event.is_about_a_status and matches(client.wanted, event.subject):
            wanted.append(event)
    shown = await in_thread(shown_now, wanted) if wanted else []
    for event in shown:
        await time_slice.pause_if_over()
        client.dialect.event(event)
    return shown


def _number(text: str) -> int:
    # Python refuses to read numbers of thousands of digits.
    is_number = len(text) <= 16 and text.isascii() and text.isdecimal()
    if not is_number or int(text) > LARGEST_POSITION:
        raise bad_position(f"{text[:40]!r} is not a position: give the id of a status or an event")
    return int(text)


async def _kept(position: int) -> int:
    extent = await log.extent_kept()
    if extent is None:
        raise bad_position("Nothing is kept to resume from: connect without a position")
    if position < extent.floor:
        raise _too_old(position, extent.floor)
    if position > max(extent.newest, first_id_at(timezone.now())):
        raise bad_position(
            f"{position} is ahead of everything: the newest event is {extent.newest}"
        )
    # Made since the newest event, but not told yet: whatever comes now comes after it.
    return min(position, extent.newest)


def _too_old(position: int, oldest: int) -> Refusal:
    since = time_of(oldest).isoformat(timespec="seconds")
    return bad_position(
        f"What came after {position} is no longer kept: the events kept reach back to {oldest}, "
        f"which is {since}"
    )
