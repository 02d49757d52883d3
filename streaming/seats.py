"""How many streams may be open at once, over all processes, and how often one may connect.

A stream has a seat among those of its user, and another among those of its token.
"""

import logging
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from django.conf import settings
from redis.exceptions import RedisError

from redistools.client import get_client
from redistools.rate_limit import Decision, RateLimit
from redistools.scripts import Batch
from redistools.semaphore import Semaphore

from . import control
from .refusal import too_often
from .visitor import Visitor

# Several times as long as the pause between two refreshes.
LEASE_SECONDS = 60.0
BAD_TOKENS_PER_MINUTE = 60

logger = logging.getLogger(__name__)


def count_attempt(visitor: Visitor) -> None:
    """Raises Refusal."""
    limit = settings.STREAM_CONNECTS_PER_MINUTE
    _hit(RateLimit(get_client(), "stream_connects", limit=limit, window=60), visitor.name)


@contextmanager
def counting_failures(address: str) -> Iterator[None]:
    """Around the look-up of a token or session: guesses count, and too many never reach SQL.

    Raises Refusal. Each try counts from before its look-up; one that succeeds is given back.
    """
    limit = RateLimit(get_client(), "stream_bad_tokens", limit=BAD_TOKENS_PER_MINUTE, window=60)
    taken = _hit(limit, address)
    yield
    limit.give_back(taken)


def take_seat(visitor: Visitor, ticket: str) -> None:
    """The newest always gets one; who has to go for it is told, wherever it is connected."""
    pushed_out: list[str] = []
    for seats in _seats(visitor):
        for gone in pushed_out:
            seats.leave(gone)  # so that one newcomer takes the place of one
        pushed_out += seats.enter_as_newest(ticket)
    if pushed_out:
        control.tell_pushed_out(pushed_out)


def keep_seats(holders: Collection[tuple[Visitor, str]]) -> list[str]:
    """Start the leases anew; returns the tickets that have no seat. One round trip.

    A ticket is gone when it was pushed out, or when Redis has lost its memory. Then it takes a
    seat again, if one is free.
    """
    batch = Batch(get_client())
    asked = [(holder, seats) for holder in holders for seats in _seats(holder[0])]
    for (_, ticket), seats in asked:
        seats.refresh_in(batch, ticket)
    answers = zip(asked, batch.run(), strict=True)
    lost = {holder for (holder, _), kept in answers if not kept}
    return [ticket for visitor, ticket in lost if not _take_free_seats(visitor, ticket)]


def leave_seat(visitor: Visitor, ticket: str) -> None:
    try:
        for seats in _seats(visitor):
            seats.leave(ticket)
    except RedisError as error:
        logger.warning("The seat of %s was not left, its lease will end: %s", visitor.name, error)


def _take_free_seats(visitor: Visitor, ticket: str) -> bool:
    if all(seats.enter(ticket) for seats in _seats(visitor)):
        return True
    for seats in _seats(visitor):
        seats.leave(ticket)
    return False


def _seats(visitor: Visitor) -> list[Semaphore]:
    limits = {f"stream:user:{visitor.user_id}": settings.STREAM_CONNECTIONS_PER_USER}
    if visitor.token_id is not None:
        token = f"stream:token:{visitor.token_id}"
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
