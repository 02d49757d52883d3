"""Where a client wants to resume: checked, so that nothing is missing after it."""

from datetime import timedelta

from django.utils import timezone

from redistools.ids import first_id_at, time_of
from web.refusals import Refusal

from ..asked.refusal import bad_position, shown
from ..engine import log

LARGEST_POSITION = 2**53
# Most statuses are published within milliseconds.
ON_TIME = timedelta(seconds=1)


async def position_after_event(text: str) -> int:
    return await _kept(_number(text))


async def position_after_status(text: str) -> int:
    """Reads `since_id`. Raises Refusal.

    Positions are made like ids, and no number is both. A number that names no status in the log is
    the position of an event, or stands for the time at which the status was posted. So does the id
    of a status that was published late: Redis may have lost its first publication. Nothing must be
    missed since then, so some of it may come again.
    """
    number = _number(text)
    known = await log.position_of(number)
    is_on_time = known is not None and time_of(known) - time_of(number) <= ON_TIME
    return await _kept(known if known is not None and is_on_time else number)


def _number(text: str) -> int:
    # Python refuses to read numbers of thousands of digits.
    is_number = len(text) <= 16 and text.isascii() and text.isdecimal()
    if not is_number or int(text) > LARGEST_POSITION:
        raise bad_position(f"{shown(text)} is not a position: give the id of a status or an event")
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
    # A status made since the newest event, not published yet: what comes now comes after it.
    return min(position, extent.newest)


def _too_old(position: int, oldest: int) -> Refusal:
    since = time_of(oldest).isoformat(timespec="seconds")
    return bad_position(
        f"What came after {position} is no longer kept: the events kept reach back to {oldest}, "
        f"which is {since}"
    )
