"""What a stream process does from time to time, for all its streams at once."""

import asyncio
import logging
import time

import redis
from django.db import DatabaseError

from access import tokens
from users.standing.suspension import suspended_ids_async

from ..engine import control
from ..engine.hub import Hub
from ..engine.notices import Goodbye
from ..engine.open_stream import OpenStream
from ..engine.subscription import catch_up
from ..engine.threads import in_thread
from ..events import clients_counted
from . import seats, sessions

LOOK_INTO_LOG_SECONDS = 5
KEEP_SEATS_SECONDS = 15
CHECK_LISTENERS_SECONDS = 30

logger = logging.getLogger(__name__)


async def do_chores(hub: Hub) -> None:
    second = 0
    while True:
        await asyncio.sleep(1)
        second += 1
        check_streams(hub, time.monotonic())
        try:
            clients_counted(len(hub.streams))
            await _do_slow_chores(hub, second)
        except Exception as error:
            is_expected = isinstance(error, redis.RedisError | DatabaseError | OSError)
            logger.warning("A chore was not done: %s", error, exc_info=not is_expected)


def check_streams(hub: Hub, now: float) -> None:
    for stream in list(hub.streams):
        stream.writer.check_progress(now)
        stream.report_withheld()
        if now >= stream.writer.next_keep_alive:
            hub.keep_alive(stream, now)


async def keep_seats(hub: Hub) -> None:
    holders = [(stream.listener, stream.ticket) for stream in hub.streams]
    lost = set(await in_thread(seats.keep_seats, holders))
    hub.close_where(lambda stream: stream.ticket in lost, Goodbye.NEWER_CONNECTION, control.NEWER)


async def check_listeners(hub: Hub) -> None:
    """Closes the streams of users who may no longer listen, in case an order to close was lost."""
    streams = list(hub.streams)
    gone = await in_thread(_without_right, streams)
    reason = "The token, the session or the account is no longer valid."
    hub.close_where(gone.__contains__, Goodbye.TOKEN_REVOKED, reason)


async def _do_slow_chores(hub: Hub, second: int) -> None:
    if second % LOOK_INTO_LOG_SECONDS == 0 and hub.is_subscribed:
        await catch_up(hub)
    hub.suspended = await suspended_ids_async()
    if second % KEEP_SEATS_SECONDS == 0 and hub.streams:
        await keep_seats(hub)
    if second % CHECK_LISTENERS_SECONDS == 0 and hub.streams:
        await check_listeners(hub)


def _without_right(streams: list[OpenStream]) -> set[OpenStream]:
    listeners = {stream.listener for stream in streams}
    scopes = tokens.scopes_now({it.token_id for it in listeners if it.token_id is not None})
    pages = {it for it in listeners if it.session_key is not None and sessions.is_still_valid(it)}
    return {
        stream
        for stream in streams
        if stream.listener not in pages
        and tokens.needed_for(stream.stream_name)
        not in scopes.get(stream.listener.token_id or 0, ())
    }
