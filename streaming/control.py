"""Orders to this process, beside the events: whom to close. They are given in `users.endings`."""

import json
from collections.abc import Collection
from typing import TYPE_CHECKING

from users import endings
from users.endings import session_digest

from .notices import Goodbye

if TYPE_CHECKING:
    from .hub import Hub

NEWER = "A newer connection took this one's place."


def tell_pushed_out(tickets: Collection[str]) -> None:
    """Raises RedisError."""
    endings.tell({"tickets": list(tickets), "reason": NEWER})


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
                or session_digest(client.visitor.session_key) in sessions
            ),
            Goodbye.TOKEN_REVOKED,
            reason,
        )
