"""Orders to close streams, sent to all stream processes: see `users/standing/stream_endings.py`."""

import json
from collections.abc import Collection
from typing import NamedTuple

from users.login.session_rows import session_digest
from users.standing import stream_endings

from .hub import Hub
from .notices import Goodbye
from .open_stream import OpenStream

NEWER = "A newer connection took this one's place."


def close_pushed_out(tickets: Collection[str]) -> None:
    stream_endings.tell({"tickets": list(tickets), "reason": NEWER})


class Consequences(NamedTuple):
    # The streams whose listeners have another viewpoint now.
    other_viewpoints: Collection[OpenStream] = ()
    may_be_suspended: bool = False  # accounts have lost their rights


def obey(hub: Hub, message: str) -> Consequences:
    order = json.loads(message)
    changed = set(order.get("viewpoints", ()))
    if changed:
        streams = [stream for stream in hub.streams if stream.listener.user_id in changed]
        return Consequences(other_viewpoints=streams)
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
    return Consequences(may_be_suspended=bool(users))
