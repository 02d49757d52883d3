"""What the listeners of open streams want to see, or may: read when a stream opens, and again
whenever it changes.
"""

from collections.abc import Collection

from relations.viewpoint import viewpoint_of

from .hub import Hub
from .open_stream import OpenStream
from .threads import in_thread


async def look_again(hub: Hub, streams: Collection[OpenStream]) -> None:
    """Once for each listener."""
    for user_id in {stream.listener.user_id for stream in streams}:
        viewpoint = await in_thread(viewpoint_of, user_id)
        for stream in list(hub.streams):
            if stream.listener.user_id == user_id:
                stream.viewpoint = viewpoint
