"""Who may see a status: one decision for every page. In SQL it is `StatusQuerySet.visible_to`."""

from collections.abc import Callable
from dataclasses import replace

from users.models import User

from .entities import MENTION_LINK, Mentioned
from .stored import StoredStatus


def may_see(
    viewer: User | None,  # noqa: ARG001 - decides once accounts can be private, or blocked
    status: StoredStatus,
    *,
    suspended: frozenset[int],
) -> bool:
    return status.author_id not in suspended


def without_suspended(status: StoredStatus, suspended: frozenset[int]) -> StoredStatus:
    """Without links to suspended accounts."""
    if not suspended:
        return status
    return without_mentions(status, lambda account: account.id in suspended)


def without_mentions(status: StoredStatus, is_hidden: Callable[[Mentioned], bool]) -> StoredStatus:
    """A mention is stored as a link if the account exists, and shown as one while the account can
    be seen. So is the account that a status answers.
    """
    if status.reply_to_author and is_hidden(
        Mentioned(status.reply_to_author, status.reply_to_username, "")
    ):
        status = status._replace(reply_to_username="")
    if MENTION_LINK not in status.html:
        return status
    entities = status.found
    shown = [
        replace(it, account=None) if it.account and is_hidden(it.account) else it for it in entities
    ]
    return status if shown == entities else status.with_entities(shown)
