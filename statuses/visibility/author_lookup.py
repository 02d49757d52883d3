"""Whom a page has to ask for before it can say who sees what."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from redistools.scripts import Batch
from relations import store as edges
from relations.blocks_and_mutes import viewpoint
from users import store as users
from users.audience import Visibility
from users.standing import suspension

from ..stored import StoredStatus
from .predicate import VisibilityContext


def reader_of(user_id: int, version: str | None, text: str | None) -> VisibilityContext:
    """Takes the answers to `suspension.version_command` and `viewpoint.command`. Needs more round
    trips only if Redis does not know them.
    """
    view = viewpoint.viewpoint_in(text, user_id)
    return VisibilityContext(user_id, view, suspension.suspended_at(version))


class AuthorLookup:
    """Do only followers see these authors, and does the viewer follow them?"""

    def __init__(
        self,
        context: VisibilityContext,
        statuses: Collection[StoredStatus],
        *,
        people: Collection[int],
        followers_only: Mapping[int, bool],
    ) -> None:
        """`people`: others for whom it matters whether the viewer follows them."""
        self._context, self._known = context, followers_only
        passed_over = {context.viewer_id, *context.suspended, *context.viewpoint.blocked}
        authors = {author for it in statuses for author in it.authors} - passed_over
        self._authors = sorted(authors - followers_only.keys())
        narrow = {it.author_id for it in statuses if it.visibility == Visibility.FOLLOWERS}
        narrow |= {
            author for author, is_followers_only in followers_only.items() if is_followers_only
        }
        asked = {*self._authors, *(narrow & authors), *people} - {context.viewer_id}
        self._people = sorted(it for it in asked if it) if context.viewer_id else []

    def add(self, batch: Batch) -> None:
        users.add_followers_only(batch, self._authors)
        if self._people and self._context.viewer_id:
            edges.add_follow_reads(batch, self._context.viewer_id, self._people)

    def context_after(self, answers: list[Any]) -> VisibilityContext:
        count = len(self._authors)
        followers_only = users.followers_only_among(self._authors, answers[:count])
        followers_only |= {
            author for author, is_followers_only in self._known.items() if is_followers_only
        }
        followed = set()
        if self._people and self._context.viewer_id:
            (answer,) = answers[count:]
            followed = edges.read_follows(answer, self._context.viewer_id, self._people)
        return replace(self._context, followers_only=followers_only, followed=followed)
