"""Who may see a status: one decision for every page and stream. In SQL it is
`StatusQuerySet.visible_to`.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace

from relations.blocks_and_mutes.viewpoint import NOBODY, Viewpoint
from users.audience import Visibility
from users.models import User

from ..stored import StoredStatus
from ..words.entities import Mentioned


@dataclass(frozen=True)
class VisibilityContext:
    viewer_id: int | None = None
    viewpoint: Viewpoint = NOBODY
    suspended: frozenset[int] = frozenset()
    # Of the authors asked for, those whom only followers see.
    followers_only: Collection[int] = field(default_factory=frozenset)
    # Of the authors asked for, those whom the viewer follows.
    followed: Collection[int] = field(default_factory=frozenset)


def may_see(context: VisibilityContext, status: StoredStatus) -> bool:
    author_id = status.author_id
    if author_id in context.suspended:
        return False
    if author_id == context.viewer_id:
        return True
    if author_id in context.viewpoint.blocked:
        return False
    return is_open(status, context.followers_only) or _is_for(context, status)


def _is_for(context: VisibilityContext, status: StoredStatus) -> bool:
    """For statuses that not everybody sees."""
    if context.viewer_id is None:
        return False
    if status.visibility <= Visibility.FOLLOWERS and status.author_id in context.followed:
        return True
    return context.viewer_id in status.people


def is_open(status: StoredStatus, followers_only: Collection[int]) -> bool:
    """May everybody see it, so that it can be boosted?"""
    return status.visibility <= Visibility.UNLISTED and status.author_id not in followers_only


def usual_visibility(author: User, answered: int = Visibility.PUBLIC) -> int:
    """The author's default, but no wider than that of the status answered."""
    return max(author.default_visibility, answered)


def needs_to_follow(status: StoredStatus, followers_only: Collection[int]) -> bool:
    """Does it depend on who follows the author?"""
    return status.visibility == Visibility.FOLLOWERS or status.author_id in followers_only


def without_suspended(status: StoredStatus, suspended: frozenset[int]) -> StoredStatus:
    if not suspended:
        return status
    return without_mentions(status, lambda account: account.id in suspended)


def without_unseen(status: StoredStatus, context: VisibilityContext) -> StoredStatus:
    """Removes links to people whom the viewer can't see."""
    suspended, blocked = context.suspended, context.viewpoint.blocked
    if not suspended and not blocked:
        return status
    return without_mentions(status, lambda it: it.id in suspended or it.id in blocked)


def without_mentions(status: StoredStatus, is_hidden: Callable[[Mentioned], bool]) -> StoredStatus:
    """A mention is stored as a link if the account exists, and shown as one while the account can
    be seen. So is the account that a status answers.
    """
    if status.reply_to_author and is_hidden(
        Mentioned(status.reply_to_author, status.reply_to_username, "")
    ):
        status = status._replace(reply_to_username="")
    if not status.may_mention:
        return status
    entities = status.found
    shown = [
        replace(it, account=None) if it.account and is_hidden(it.account) else it for it in entities
    ]
    return status if shown == entities else status.with_entities(shown)
