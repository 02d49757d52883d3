"""How many streams may be open at once, in all processes, and how often a listener may connect."""

import logging
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from django.conf import settings
from redis.exceptions import RedisError

from redistools.client import get_client
from redistools.rate_limit import Decision, RateLimit
from redistools.scripts import Batch
from redistools.semaphore import Semaphore

from ..asked.listener import Listener
from ..asked.refusal import too_often
from ..engine import control

# Several times the pause between two refreshes.
LEASE_SECONDS = 60.0
BAD_TOKENS_PER_MINUTE = 60

logger = logging.getLogger(__name__)


def count_attempt(listener: Listener) -> None:
    limit = settings.STREAM_CONNECTS_PER_MINUTE
    _hit(RateLimit(get_client(), "stream_connects", limit=limit, window=60), listener.name)


@contextmanager
def counting_failures(address: str) -> Iterator[None]:
    """Limits the guessing of tokens and sessions, and spares SQL. Raises Refusal.

    An attempt counts from before its look-up; one that succeeds is given back.
    """
    limit = RateLimit(get_client(), "stream_bad_tokens", limit=BAD_TOKENS_PER_MINUTE, window=60)
    taken = _hit(limit, address)
    yield
    limit.give_back(taken)


def take_seat(listener: Listener, ticket: str) -> None:
    """Always succeeds; the stream that has to go for it is closed, in any process."""
    pushed_out: list[str] = []
    for seats in _seats(listener):
        for gone in pushed_out:
            seats.leave(gone)  # so that a newcomer pushes out only one
        pushed_out += seats.enter_as_newest(ticket)
    if pushed_out:
        control.close_pushed_out(pushed_out)


def keep_seats(holders: Collection[tuple[Listener, str]]) -> list[str]:
    """Renews the leases; returns tickets without a seat. One round trip.

    Such a ticket was pushed out, or Redis lost it; it takes a seat again if one is free.
    """
    batch = Batch(get_client())
    asked = [(holder, seats) for holder in holders for seats in _seats(holder[0])]
    for (_, ticket), seats in asked:
        seats.refresh_in(batch, ticket)
    answers = zip(asked, batch.run(), strict=True)
    lost = {holder for (holder, _), kept in answers if not kept}
    return [ticket for listener, ticket in lost if not _take_free_seats(listener, ticket)]


def leave_seat(listener: Listener, ticket: str) -> None:
    try:
        for seats in _seats(listener):
            seats.leave(ticket)
    except RedisError as error:
        logger.warning("%s keeps a seat until its lease ends: %s", listener.name, error)


def is_listening(user_id: int) -> bool:
    return _seats(Listener(user_id))[0].is_taken()


def _take_free_seats(listener: Listener, ticket: str) -> bool:
    if all(seats.enter(ticket) for seats in _seats(listener)):
        return True
    for seats in _seats(listener):
        seats.leave(ticket)
    return False


def _seats(listener: Listener) -> list[Semaphore]:
    limits = {f"stream:user:{listener.user_id}": settings.STREAM_CONNECTIONS_PER_USER}
    if listener.token_id is not None:
        token = f"stream:token:{listener.token_id}"
        limits = {token: settings.STREAM_CONNECTIONS_PER_TOKEN} | limits
    return [
        Semaphore(get_client(), name, limit=limit, lease=LEASE_SECONDS)
        for name, limit in limits.items()
    ]


def _hit(limit: RateLimit, subject: str) -> Decision:
    decision = limit.hit(subject)
    if not decision.allowed:
        raise too_often(decision.retry_after)
    return decision
