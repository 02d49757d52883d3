"""Orders to all stream processes, beside the events: whom to close."""

import json
from collections.abc import Collection

from redistools import keys
from redistools.client import get_client

from .hub import Hub
from .notices import Goodbye


def tell_revoked(token_ids: Collection[int]) -> None:
    _tell({"revoked_tokens": list(token_ids)})


def tell_pushed_out(tickets: Collection[str]) -> None:
    _tell({"pushed_out": list(tickets)})


def obey(hub: Hub, message: str) -> None:
    order = json.loads(message)
    tokens, tickets = set(order.get("revoked_tokens", ())), set(order.get("pushed_out", ()))
    if tokens:
        hub.close_where(
            lambda client: client.visitor.token_id in tokens,
            Goodbye.TOKEN_REVOKED,
            "The token was revoked.",
        )
    if tickets:
        hub.close_where(
            lambda client: client.ticket in tickets,
            Goodbye.NEWER_CONNECTION,
            "A newer connection took this one's place.",
        )


def _tell(order: dict[str, list[int] | list[str]]) -> None:
    """Whoever is not listening now finds out when it next looks (`chores.py`)."""
    get_client().publish(keys.stream_control_channel(), json.dumps(order))
