"""Orders to all stream processes, beside the events: whom to close.

Light to import: whatever takes a right away calls this.
"""

import hashlib
import json
import logging
from collections.abc import Collection
from functools import partial
from typing import TYPE_CHECKING

from django.db import transaction
from redis.exceptions import RedisError

from redistools import keys
from redistools.client import get_client

from .notices import Goodbye

if TYPE_CHECKING:
    from .hub import Hub

NEWER = "A newer connection took this one's place."

logger = logging.getLogger(__name__)


def end_streams_of_user(
    user_id: int, reason: str = "The account may no longer listen, or has to connect again."
) -> None:
    """Those of all its tokens and pages, when the transaction is committed; now, if there is none.

    Never raises: what can't be told is found out by the processes themselves (`chores.py`).
    """
    _tell_after_commit({"users": [user_id], "reason": reason})


def end_streams_of_session(session_key: str) -> None:
    """Those of the pages of one browser; otherwise like `end_streams_of_user`."""
    _tell_after_commit({"sessions": [_digest(session_key)], "reason": "You have logged out."})


def tell_revoked(token_ids: Collection[int]) -> None:
    """Like `end_streams_of_user`."""
    _tell_after_commit({"tokens": list(token_ids), "reason": "The token was revoked."})


def tell_pushed_out(tickets: Collection[str]) -> None:
    """Raises RedisError."""
    _tell({"tickets": list(tickets), "reason": NEWER})


def obey(hub: "Hub", message: str) -> None:
    order = json.loads(message)
    reason = order.get("reason", "")
    users, tokens = set(order.get("users", ())), set(order.get("tokens", ()))
    sessions, tickets = set(order.get("sessions", ())), set(order.get("tickets", ()))
    if tickets:
        hub.close_where(lambda client: client.ticket in tickets, Goodbye.NEWER_CONNECTION, reason)
    else:
        hub.close_where(
            lambda client: (
                client.visitor.user_id in users
                or client.visitor.token_id in tokens
                or _digest(client.visitor.session_key) in sessions
            ),
            Goodbye.TOKEN_REVOKED,
            reason,
        )


def _digest(session_key: str | None) -> str:
    """Who listens in must not be able to use the session."""
    return hashlib.sha256((session_key or "").encode()).hexdigest()


def _tell_after_commit(order: dict[str, object]) -> None:
    transaction.on_commit(partial(_try_to_tell, order))


def _try_to_tell(order: dict[str, object]) -> None:
    try:
        _tell(order)
    except RedisError as error:
        logger.warning("Streams are not ended at once: %s", error)


def _tell(order: dict[str, object]) -> None:
    get_client().publish(keys.stream_control_channel(), json.dumps(order))
