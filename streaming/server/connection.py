"""From an accepted request to an open stream, and to its end."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from django.conf import settings

from web.refusals import unavailable

from ..asked.refusal import Headers
from ..engine.hub import Hub
from ..engine.notices import Goodbye
from ..engine.open_stream import OpenStream
from ..engine.replay import replay
from ..engine.threads import in_thread
from ..engine.writer import Send
from . import seats

logger = logging.getLogger(__name__)


@asynccontextmanager
async def joined(hub: Hub, stream: OpenStream) -> AsyncIterator[None]:
    """Gives the stream a seat. A newer one may close it at any time, even before it starts."""
    if hub.is_stopping or not hub.is_subscribed or len(hub.streams) >= settings.STREAM_CLIENTS:
        raise unavailable("There is no room for another stream now: try again soon")
    hub.join(stream)
    try:
        await in_thread(seats.take_seat, stream.listener, stream.ticket)
        yield
    finally:
        hub.leave(stream)
        # Not awaited: the server may be cancelling us, because the client has gone.
        loop = asyncio.get_running_loop()
        loop.run_in_executor(None, seats.leave_seat, stream.listener, stream.ticket)


async def send_stream(
    hub: Hub, stream: OpenStream, send: Send, *, after: int | None, headers: Headers
) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": _headers(stream, headers)})
    stream.writer.put(stream.dialect.greeting)
    if after is None:
        hub.go_live(stream, after=hub.position)
        await stream.writer.write_to(send)
        return
    replaying = asyncio.create_task(_replay_or_close(hub, stream, after))
    try:
        await stream.writer.write_to(send)
    finally:
        replaying.cancel()


async def _replay_or_close(hub: Hub, stream: OpenStream, after: int) -> None:
    try:
        await replay(hub, stream, after=after)
    except Exception:
        logger.exception("A replay failed")
        stream.close(Goodbye.ERROR, "The missed events could not be read: connect again.")


def _headers(stream: OpenStream, more: Headers) -> Headers:
    return [
        (b"content-type", stream.dialect.media_type),
        # Nginx would hold events back until its buffer is full.
        (b"x-accel-buffering", b"no"),
        (b"connection", b"close"),
        *more,
    ]
