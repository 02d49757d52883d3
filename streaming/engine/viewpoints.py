"""Keeps what the listeners of open streams want to see, or may see, up to date."""

from collections.abc import Collection
from itertools import count

from relations.blocks_and_mutes.viewpoint import viewpoint_of

from .hub import Hub
from .open_stream import OpenStream
from .threads import in_thread

_turns = count(1)


async def look_again(hub: Hub, streams: Collection[OpenStream]) -> None:
    """Reads once for each listener. Of two looks at once, the one that began later counts."""
    for user_id in {stream.listener.user_id for stream in streams}:
        turn = next(_turns)
        viewpoint = await in_thread(viewpoint_of, user_id)
        for stream in list(hub.streams):
            if stream.listener.user_id == user_id and stream.viewpoint_turn < turn:
                stream.viewpoint, stream.viewpoint_turn = viewpoint, turn
