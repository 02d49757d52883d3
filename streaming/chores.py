"""What a stream process does from time to time, for all its clients at once."""

import asyncio
import logging
import time

import redis
from django.db import DatabaseError

from access import tokens
from users.suspension import suspended_ids_async

from . import control, seats, sessions
from .client import Client
from .hub import Hub
from .notices import Goodbye
from .subscription import catch_up
from .threads import in_thread

LOOK_INTO_LOG_SECONDS = 5
KEEP_SEATS_SECONDS = 15
CHECK_VISITORS_SECONDS = 30

logger = logging.getLogger(__name__)


async def do_chores(hub: Hub) -> None:
    """For ever, second by second, whatever goes wrong."""
    second = 0
    while True:
        await asyncio.sleep(1)
        second += 1
        give_signs_of_life(hub, time.monotonic())
        try:
            await _do_slow_chores(hub, second)
        except Exception as error:
            is_expected = isinstance(error, redis.RedisError | DatabaseError | OSError)
            logger.warning("A chore was not done: %s", error, exc_info=not is_expected)


def give_signs_of_life(hub: Hub, now: float) -> None:
    """Keep-alives to those whose turn it is, how much was withheld, and an end to the stuck."""
    for client in list(hub.clients):
        client.check_progress(now)
        client.tell_withheld()
        if now >= client.next_keep_alive:
            client.next_keep_alive = now + client.dialect.keep_alive_seconds
            hub.keep_alive(client)


async def keep_seats(hub: Hub) -> None:
    holders = [(client.visitor, client.ticket) for client in hub.clients]
    lost = set(await in_thread(seats.keep_seats, holders))
    hub.close_where(lambda client: client.ticket in lost, Goodbye.NEWER_CONNECTION, control.NEWER)


async def check_visitors(hub: Hub) -> None:
    """Whoever lost the right to listen by another way than `revoke_token`, or unheard by us."""
    clients = list(hub.clients)
    gone = await in_thread(_without_right, clients)
    reason = "The token, the session or the account is no longer valid."
    hub.close_where(gone.__contains__, Goodbye.TOKEN_REVOKED, reason)


async def _do_slow_chores(hub: Hub, second: int) -> None:
    if second % LOOK_INTO_LOG_SECONDS == 0 and hub.is_subscribed:
        await catch_up(hub)
    hub.suspended = await suspended_ids_async()
    if second % KEEP_SEATS_SECONDS == 0 and hub.clients:
        await keep_seats(hub)
    if second % CHECK_VISITORS_SECONDS == 0 and hub.clients:
        await check_visitors(hub)


def _without_right(clients: list[Client]) -> set[Client]:
    visitors = {client.visitor for client in clients}
    scopes = tokens.scopes_now({it.token_id for it in visitors if it.token_id is not None})
    pages = {it for it in visitors if it.session_key is not None and sessions.is_still_valid(it)}
    return {
        client
        for client in clients
        if client.visitor not in pages
        and tokens.needed_for(client.stream_name)
        not in scopes.get(client.visitor.token_id or 0, ())
    }
