"""What a client missed, out of the log; then live, with no gap and no repeat."""

from collections.abc import Sequence

from ..asked.matching import matches
from ..event import StreamEvent
from . import log
from .hub import Hub
from .open_stream import OpenStream
from .pacing import TimeBudget
from .threads import in_thread
from .visible import shown_now


async def replay(hub: Hub, stream: OpenStream, *, after: int) -> None:
    """Sends what the client asked for out of the log, as fast as it reads; then goes live.

    Nothing is awaited between the last look at the hub and going live, so no event slips through.
    An event that was read from the log and reaches the hub later is ignored by the stream.
    """
    stream.position = position = after
    while position < hub.position and not stream.closed:
        suspended, reached = hub.suspended, hub.position
        async with hub.replays.turn_of(stream.listener.user_id) as time_slice:
            page = await log.read_after(position, private=stream.home_of is not None)
            shown = await _shown(stream, [event.after(after) for event in page], time_slice)
        # Outside the turn: a slow reader keeps nobody else waiting.
        for event in shown:
            await stream.writer.wait_for_room()
            if _is_still_shown(stream, event, hub.suspended - suspended):
                stream.replay(event)
                if stream.search is not None and event.has_status:
                    hub.searches.remember(stream, event.facts.id)
        # Without a page, nothing up to there is for this stream; later events may have come since.
        stream.position = position = page[-1].position if page else reached
    hub.go_live(stream, after=position)


def _wants(stream: OpenStream, event: StreamEvent) -> bool:
    if event.is_private and event.facts.author_id not in stream.wanted.authors:
        return False
    is_wanted = matches(stream.wanted, event.facts) or stream.finds(event)
    return is_wanted and stream.shows(event)


def _is_still_shown(
    stream: OpenStream, event: StreamEvent, suspended_since: frozenset[int]
) -> bool:
    """A reader may be so slow that an author was blocked or suspended since the read."""
    if event.has_status and event.authors & suspended_since:
        return False
    return _wants(stream, event)


async def _shown(
    stream: OpenStream, page: Sequence[StreamEvent], time_slice: TimeBudget
) -> list[StreamEvent]:
    wanted = []
    for event in page:
        await time_slice.pause_if_over()
        if event.is_about_a_status and _wants(stream, event):
            wanted.append(event)
    if not wanted:
        return []
    viewer_id, for_everybody = stream.listener.user_id, stream.home_of is None
    visible = await in_thread(
        shown_now,
        wanted,
        viewer_id=viewer_id,
        for_everybody=for_everybody,
        for_searches=stream.search is not None,
    )
    shown = [stream.seen(event) for event in visible]
    for event in shown:
        await time_slice.pause_if_over()
        stream.dialect.event(event)
    return shown
