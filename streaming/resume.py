"""Coming back to where one left: what was missed, then live, with no gap and no repeat."""

from redistools.ids import time_of

from . import log
from .client import Client
from .hub import Hub
from .matching import matches
from .refusal import Refusal, bad_position

LARGEST_POSITION = 2**53


async def position_after_event(text: str) -> int:
    """Of `Last-Event-ID`. Raises Refusal."""
    return await _kept(_number(text))


async def position_after_status(text: str) -> int:
    """Of `since_id`. Raises Refusal.

    Positions are made like ids: a status that the log does not know stands for the time it was
    posted at.
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
    while position < hub.position:
        page = await log.read_after(position)
        if not page:
            break
        for event in page:
            if event.is_about_a_status and matches(client.wanted, event.subject):
                await client.replay(event)
        client.position = position = page[-1].position
    hub.go_live(client, after=position)


def _number(text: str) -> int:
    # Python refuses to read numbers of thousands of digits.
    is_number = len(text) <= 16 and text.isascii() and text.isdecimal()
    if not is_number or int(text) > LARGEST_POSITION:
        raise bad_position(f"{text[:40]!r} is not a position: give the id of a status or an event")
    return int(text)


async def _kept(position: int) -> int:
    oldest = await log.oldest_position()
    if oldest is None:
        raise bad_position("Nothing is kept to resume from: connect without a position")
    if position < oldest:
        raise _too_old(position, oldest)
    return position


def _too_old(position: int, oldest: int) -> Refusal:
    since = time_of(oldest).isoformat(timespec="seconds")
    return bad_position(
        f"What came after {position} is no longer kept: the events kept reach back to {oldest}, "
        f"which is {since}"
    )
