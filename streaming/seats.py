"""How many streams may be open at once, over all processes, and how often one may connect."""

import logging
from collections.abc import Collection

from django.conf import settings
from redis.exceptions import RedisError

from redistools.client import get_client
from redistools.rate_limit import RateLimit
from redistools.scripts import Batch
from redistools.semaphore import Semaphore

from . import control
from .refusal import too_often
from .visitor import Visitor

# Several times as long as the pause between two refreshes.
LEASE_SECONDS = 60.0
PAGES_PER_USER = 10
BAD_TOKENS_PER_MINUTE = 60

logger = logging.getLogger(__name__)


def count_attempt(visitor: Visitor) -> None:
    """Raises Refusal."""
    _count("stream_connects", settings.STREAM_CONNECTS_PER_MINUTE, visitor.name)


def count_bad_token(address: str) -> None:
    """Raises Refusal: whoever guesses shall not keep SQL busy."""
    _count("stream_bad_tokens", BAD_TOKENS_PER_MINUTE, address)


def take_seat(visitor: Visitor, ticket: str) -> None:
    """The newest always gets one; who has to go for it is told, wherever it is connected."""
    pushed_out = _seats(visitor).enter_as_newest(ticket)
    if pushed_out:
        control.tell_pushed_out(pushed_out)


def keep_seats(holders: Collection[tuple[Visitor, str]]) -> list[str]:
    """Start the leases anew; returns the tickets that have no seat. One round trip.

    A ticket is gone when it was pushed out, or when Redis has lost its memory. Then it takes a
    seat again, if one is free.
    """
    batch = Batch(get_client())
    for visitor, ticket in holders:
        _seats(visitor).refresh_in(batch, ticket)
    lost = [holder for holder, kept in zip(holders, batch.run(), strict=True) if not kept]
    return [ticket for visitor, ticket in lost if not _take_free_seat(visitor, ticket)]


def leave_seat(visitor: Visitor, ticket: str) -> None:
    try:
        _seats(visitor).leave(ticket)
    except RedisError as error:
        logger.warning("The seat of %s was not left, its lease will end: %s", visitor.name, error)


def _take_free_seat(visitor: Visitor, ticket: str) -> bool:
    seats = _seats(visitor)
    if seats.enter(ticket):
        return True
    seats.leave(ticket)
    return False


def _seats(visitor: Visitor) -> Semaphore:
    has_token = visitor.token_id is not None
    limit = settings.STREAM_CONNECTIONS_PER_TOKEN if has_token else PAGES_PER_USER
    name = f"stream:{visitor.name}"
    return Semaphore(get_client(), name, limit=limit, lease=LEASE_SECONDS)


def _count(name: str, limit: int, subject: str) -> None:
    decision = RateLimit(get_client(), name, limit=limit, window=60).hit(subject)
    if not decision.allowed:
        raise too_often(decision.retry_after)
