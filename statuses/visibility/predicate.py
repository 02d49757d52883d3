"""Who may see a status: one decision for every page and stream, and what has to be asked before.

In SQL it is `StatusQuerySet.visible_to`.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from redistools.scripts import Batch
from relations import store as edges
from relations.blocks_and_mutes.viewpoint import NOBODY, Viewpoint, viewpoint_in
from users import store as users
from users.audience import Visibility
from users.models import User
from users.standing import suspension

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


def without_suspended(status: StoredStatus, suspended: frozenset[int]) -> StoredStatus:
    if not suspended:
        return status
    return without_mentions(status, lambda account: account.id in suspended)


def without_unseen(status: StoredStatus, context: VisibilityContext) -> StoredStatus:
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


def reader_of(user_id: int, version: str | None, text: str | None) -> VisibilityContext:
    """Takes the answers to `suspension.version_command` and `viewpoint.command`. Needs more round
    trips only if Redis does not know them.
    """
    return VisibilityContext(user_id, viewpoint_in(text, user_id), suspension.suspended_at(version))


class AuthorLookup:
    def __init__(
        self,
        context: VisibilityContext,
        statuses: Collection[StoredStatus],
        *,
        people: Collection[int],
        followers_only: Mapping[int, bool],
    ) -> None:
        """`people`: others for whom it matters whether the viewer follows them."""
        self._context = context
        self._known_followers_only = {author for author, is_so in followers_only.items() if is_so}
        passed_over = {context.viewer_id, *context.suspended, *context.viewpoint.blocked}
        authors = {it.author_id for it in statuses} | {it.boosted_author or 0 for it in statuses}
        authors -= {*passed_over, 0}
        self._authors = sorted(authors - followers_only.keys())
        narrow = {it.author_id for it in statuses if it.visibility == Visibility.FOLLOWERS}
        narrow |= self._known_followers_only
        asked = {*self._authors, *(narrow & authors), *people} - {context.viewer_id}
        self._people = sorted(it for it in asked if it) if context.viewer_id else []

    def add(self, batch: Batch) -> None:
        users.add_followers_only(batch, self._authors)
        if self._people and self._context.viewer_id:
            edges.add_follow_reads(batch, self._context.viewer_id, self._people)

    def context_after(self, answers: list[Any]) -> VisibilityContext:
        count = len(self._authors)
        followers_only = users.followers_only_among(self._authors, answers[:count])
        followers_only |= self._known_followers_only
        followed = set()
        if self._people and self._context.viewer_id:
            (answer,) = answers[count:]
            followed = edges.read_follows(answer, self._context.viewer_id, self._people)
        return replace(self._context, followers_only=followers_only, followed=followed)
