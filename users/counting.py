"""The counters on users, changed in the same transaction as what they count."""

from typing import Literal

from .rows import add_to

Counter = Literal[
    "followers_count", "following_count", "statuses_count", "listed_count", "unread_warnings"
]


def change_counter(user_id: int, counter: Counter, change: int) -> bool:
    """False if there is no such account. Locks its row until the transaction ends."""
    return add_to(user_id, counter, change)
