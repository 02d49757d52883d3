"""Who may see a status: one decision for every page. In SQL it is `StatusQuerySet.visible_to`."""

from collections.abc import Callable
from dataclasses import replace

from users.models import User

from .entities import MENTION_LINK
from .stored import StoredStatus


def may_see(
    viewer: User | None,  # noqa: ARG001 - decides once accounts can be private, or blocked
    status: StoredStatus,
    *,
    suspended: frozenset[int],
) -> bool:
    return status.author_id not in suspended


def without_mentions(status: StoredStatus, is_hidden: Callable[[int], bool]) -> StoredStatus:
    """A mention is stored as a link if the account exists, and shown as one while the account can
    be seen. So is the name of the account that it answers.
    """
    if status.reply_to_author and is_hidden(status.reply_to_author):
        status = status._replace(reply_to_username="")
    if MENTION_LINK not in status.html:
        return status
    entities = status.found
    shown = [
        replace(it, account=None) if it.account and is_hidden(it.account.id) else it
        for it in entities
    ]
    return status if shown == entities else status.with_entities(shown)
