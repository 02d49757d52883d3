"""The one subscription of a stream process. What it misses is read from the log."""

import asyncio
import json
import logging
from typing import Any

import redis
from redis.asyncio.client import PubSub

from redistools import keys
from redistools.client import get_async_client
from users.standing.suspension import suspended_ids_async

from ..event import StreamEvent
from . import control, log, visible
from .hub import Hub
from .notices import Goodbye
from .pacing import TimeBudget

# After this much silence we ping; no answer, and we reconnect.
SILENCE_SECONDS = 5.0
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 0.5
# After this many events the loop goes round, and clients are written to.
EVENTS_IN_A_ROW = 32

logger = logging.getLogger(__name__)


async def keep_subscribed(hub: Hub) -> None:
    """Runs for ever, through every error: a process that gave up would only look alive."""
    pause = FIRST_PAUSE
    while True:
        try:
            await _listen(hub)
        except Exception as error:
            if hub.is_subscribed:
                pause = FIRST_PAUSE
            hub.is_subscribed = False
            is_expected = isinstance(error, redis.RedisError | OSError)
            logger.warning("There is no subscription: %s", error, exc_info=not is_expected)
        await asyncio.sleep(pause)
        pause = min(LONGEST_PAUSE, pause * 2)


async def catch_up(hub: Hub) -> None:
    time_slice = TimeBudget()
    while True:
        events = await log.read_after(hub.position)
        # After the read: the log may lose its memory between any two of them.
        await _close_if_lost(hub)
        if not events:
            return
        for event in events:
            await time_slice.pause_if_over()
            # We may have paused, and a live event have come in between.
            if event.position > hub.position:
                hub.dispatch(event)


async def _close_if_lost(hub: Hub) -> None:
    extent = await log.extent_kept()
    if hub.position and extent is not None and extent.floor > hub.position:
        logger.warning("Events after %s are no longer kept", hub.position)
        reason = "Some events may be lost: connect again."
        hub.close_where(lambda _stream: True, Goodbye.ERROR, reason)


async def _listen(hub: Hub) -> None:
    client = get_async_client()
    await client.initialize()  # a cluster has to know its slots before it can subscribe
    pubsub = client.pubsub()
    try:
        # The public events last: once they are subscribed to, so are the others.
        others = keys.stream_control_channel(), keys.personal_channel(), keys.private_channel()
        await pubsub.subscribe(*others, keys.event_channel())
        while True:
            for _ in range(EVENTS_IN_A_ROW):
                await _receive(hub, await _next_message(pubsub))
            await asyncio.sleep(0)
    finally:
        await pubsub.aclose()


async def _next_message(pubsub: PubSub) -> dict[str, Any]:
    """Raises TimeoutError when Redis is gone without having closed the connection."""
    message: dict[str, Any] | None = await pubsub.get_message(timeout=SILENCE_SECONDS)
    if message is None:
        await pubsub.ping()
        message = await pubsub.get_message(timeout=SILENCE_SECONDS)
    if message is None:
        raise redis.TimeoutError("Redis does not answer")
    return message


async def _receive(hub: Hub, message: dict[str, Any]) -> None:
    kind, channel = message["type"], message["channel"]
    # The last of the channels; again when redis-py has reconnected by itself.
    if kind == "subscribe" and channel == keys.event_channel():
        if hub.has_begun:
            # First whom they have blocked meanwhile, then what was said meanwhile.
            await visible.look_again(hub, hub.streams)
            hub.suspended = await suspended_ids_async()
            await catch_up(hub)
        else:
            hub.begin(await log.newest_position())
        hub.has_begun = hub.is_subscribed = True
    elif kind == "message" and channel == keys.stream_control_channel():
        consequences = control.obey(hub, message["data"])
        await visible.look_again(hub, consequences.other_viewpoints)
        if consequences.may_be_suspended:
            hub.suspended = await suspended_ids_async()
    elif kind == "message" and channel == keys.personal_channel():
        personal = json.loads(message["data"])
        for user_id in personal["users"]:
            hub.tell(user_id, personal["event"])
    elif kind == "message":
        is_private = channel == keys.private_channel()
        await _hand_on(hub, StreamEvent.from_message(message["data"], is_private=is_private))


async def _hand_on(hub: Hub, event: StreamEvent) -> None:
    if event.position <= hub.position:
        return
    if hub.has_missed_before(event):
        await catch_up(hub)
    else:
        hub.dispatch(event)
