"""Orders to close streams, sent to all stream processes. Most are given in `users/endings.py`."""

import json
from collections.abc import Collection

from users import endings
from users.endings import session_digest

from .hub import Hub
from .notices import Goodbye
from .open_stream import OpenStream

NEWER = "A newer connection took this one's place."


def close_pushed_out(tickets: Collection[str]) -> None:
    """Raises RedisError."""
    endings.tell({"tickets": list(tickets), "reason": NEWER})


def obey(hub: Hub, message: str) -> list[OpenStream]:
    """Closes streams. Returns those whose listeners have another viewpoint now."""
    order = json.loads(message)
    changed = set(order.get("viewpoints", ()))
    if changed:
        return [stream for stream in hub.streams if stream.listener.user_id in changed]
    reason = order.get("reason", "")
    users, tokens = set(order.get("users", ())), set(order.get("tokens", ()))
    sessions, tickets = set(order.get("sessions", ())), set(order.get("tickets", ()))
    if tickets:
        hub.close_where(lambda stream: stream.ticket in tickets, Goodbye.NEWER_CONNECTION, reason)
    else:
        hub.close_where(
            lambda stream: (
                stream.listener.user_id in users
                or stream.listener.token_id in tokens
                or session_digest(stream.listener.session_key) in sessions
            ),
            Goodbye.TOKEN_REVOKED,
            reason,
        )
    return []
