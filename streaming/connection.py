"""From an accepted request to an open stream, and to its end."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from django.conf import settings

from . import seats
from .client import Client, Send
from .hub import Hub
from .notices import Goodbye
from .refusal import Headers, overloaded
from .resume import replay
from .threads import in_thread

logger = logging.getLogger(__name__)


@asynccontextmanager
async def joined(hub: Hub, client: Client) -> AsyncIterator[None]:
    """A seat for the client. It can be closed from the start: a newer one may come any time."""
    if hub.is_stopping or not hub.is_subscribed or len(hub.clients) >= settings.STREAM_CLIENTS:
        raise overloaded("There is no room for another stream now: try again soon")
    hub.join(client)
    try:
        await in_thread(seats.take_seat, client.visitor, client.ticket)
        yield
    finally:
        hub.leave(client)
        # Not awaited: this runs when the server cancels us, because the client has gone.
        loop = asyncio.get_running_loop()
        loop.run_in_executor(None, seats.leave_seat, client.visitor, client.ticket)


async def stream(
    hub: Hub, client: Client, send: Send, *, after: int | None, headers: Headers
) -> None:
    """Until the client leaves or is closed. `after`: the position to resume from."""
    await send({"type": "http.response.start", "status": 200, "headers": _headers(client, headers)})
    client.put(client.dialect.greeting())
    if after is None:
        hub.go_live(client, after=hub.position)
        await client.write_to(send)
        return
    replaying = asyncio.create_task(_replay_or_close(hub, client, after))
    try:
        await client.write_to(send)
    finally:
        replaying.cancel()


async def _replay_or_close(hub: Hub, client: Client, after: int) -> None:
    try:
        await replay(hub, client, after=after)
    except Exception:
        logger.exception("A replay failed")
        client.close(Goodbye.ERROR, "The missed events could not be read: connect again.")


def _headers(client: Client, more: Headers) -> Headers:
    return [
        (b"content-type", client.dialect.media_type),
        # Nginx would hold events back until its buffer is full.
        (b"x-accel-buffering", b"no"),
        (b"connection", b"close"),
        *more,
    ]
