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
from .visibility import Sight


def reader_of(user_id: int, version: str | None, text: str | None) -> Sight:
    """From the answers to `suspension.version_command` and `viewpoint.command`. More round trips
    only if Redis does not know them.
    """
    view = viewpoint.viewpoint_in(text, user_id)
    return Sight(user_id, view, suspension.suspended_at(version))


class Asking:
    """Do only followers see these authors, and does the viewer follow them?"""

    def __init__(
        self,
        sight: Sight,
        statuses: Collection[StoredStatus],
        *,
        people: Collection[int],
        limited: Mapping[int, bool],
    ) -> None:
        """`people`: others for whom it matters whether the viewer follows them."""
        self._sight, self._known = sight, limited
        passed_over = {sight.viewer_id, *sight.suspended, *sight.viewpoint.blocked}
        authors = {author for it in statuses for author in it.authors} - passed_over
        self._authors = sorted(authors - limited.keys())
        narrow = {it.author_id for it in statuses if it.visibility == Visibility.FOLLOWERS}
        narrow |= {author for author, is_limited in limited.items() if is_limited}
        asked = {*self._authors, *(narrow & authors), *people} - {sight.viewer_id}
        self._people = sorted(it for it in asked if it) if sight.viewer_id else []

    def add(self, batch: Batch) -> None:
        users.add_limited(batch, self._authors)
        if self._people and self._sight.viewer_id:
            edges.add_follow_reads(batch, self._sight.viewer_id, self._people)

    def sight_after(self, answers: list[Any]) -> Sight:
        count = len(self._authors)
        limited = users.limited_among(self._authors, answers[:count])
        limited |= {author for author, is_limited in self._known.items() if is_limited}
        followed = set()
        if self._people and self._sight.viewer_id:
            (answer,) = answers[count:]
            followed = edges.read_follows(answer, self._sight.viewer_id, self._people)
        return replace(self._sight, limited=limited, followed=followed)
