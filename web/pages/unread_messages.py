"""How many messages a member has not read: the app that has them says so."""

from typing import Any

from redis.exceptions import RedisError

from taskqueue.consequences import Event


@Event
def unread_messages(user: Any) -> None:
    """A page for a member is made. Returns how many; unanswered requests count too."""


def unread_of(user: Any) -> int:
    """Asked once a request. While Redis is away, none: pages do without it."""
    if not hasattr(user, "unread_messages"):
        try:
            user.unread_messages = sum(filter(None, unread_messages(user)))
        except RedisError:
            user.unread_messages = 0
    return int(user.unread_messages)
