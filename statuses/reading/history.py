"""Edits: for how long a status can be edited, and what it said before."""

from collections.abc import Collection
from copy import copy
from datetime import datetime, timedelta
from typing import NamedTuple

from django.utils.safestring import SafeString

from configuration.current import site
from relations import store as edges
from relations.blocks_and_mutes.viewpoint import viewpoint_of
from users.models import User
from users.standing.suspension import suspended_ids

from .. import store
from ..models import Status, StatusVersion
from ..parts import html_of, read_parts
from ..stored import StoredStatus
from ..visibility.predicate import VisibilityContext, may_see, without_unseen
from .shown import ShownStatus

# How often a status can be edited: everything that goes through its versions stays small.
MOST_VERSIONS = 100


class Version(NamedTuple):
    written_at: datetime
    status: StoredStatus

    @property
    def parts(self) -> SafeString:
        return html_of(ShownStatus(self.status.id, self.status), for_member=False)

    @property
    def is_original(self) -> bool:
        return self.written_at == self.status.posted_at


def may_still_be_edited(posted_at: datetime, now: datetime) -> bool:
    return now - posted_at < timedelta(minutes=site().edit_minutes)


def history_of(status_id: int, *, viewer: User | None = None) -> list[Version]:
    """Newest first, for a viewer who may see the status, without links to people whom they can't
    see; empty if it is gone. People whom an edit mentions don't read what was said to others
    before. Three queries and three round trips.
    """
    row = Status.objects.with_names().filter(pk=status_id).first()
    if row is None:
        return []
    rows = _earlier_rows(status_id)
    now, *before = _rendered(row, rows)
    context = _context(row.author, viewer)
    versions = [Version(row.edited_at or row.created_at, now)]
    for earlier, said in zip(rows, before, strict=True):
        if may_see(context, said):
            versions.append(Version(earlier.written_at, said))
    return [it._replace(status=without_unseen(it.status, context)) for it in versions]


def _context(author: User, viewer: User | None) -> VisibilityContext:
    followers_only = {author.pk} if author.is_followers_only else set()
    if viewer is None:
        return VisibilityContext(suspended=suspended_ids(), followers_only=followers_only)
    return VisibilityContext(
        viewer.pk,
        viewpoint_of(viewer.pk),
        suspended_ids(),
        followers_only,
        followed=edges.follows(viewer.pk, [author.pk]),
    )


def earlier_versions(status: Status) -> list[StoredStatus]:
    """Newest first. Two queries if it was edited."""
    if status.edited_at is None:
        return []
    return _rendered(status, _earlier_rows(status.pk))[1:]


def earlier_texts(status_ids: Collection[int]) -> dict[int, list[str]]:
    """By status, which may be gone by now. One query, if any."""
    texts: dict[int, list[str]] = {status_id: [] for status_id in status_ids}
    if texts:
        rows = StatusVersion.objects.filter(status_id__in=status_ids)
        for status_id, text in rows.values_list("status_id", "text"):
            texts[status_id].append(text)
    return texts


def _earlier_rows(status_id: int) -> list[StatusVersion]:
    return list(StatusVersion.objects.filter(status_id=status_id).order_by("-id"))


def _rendered(status: Status, rows: Collection[StatusVersion]) -> list[StoredStatus]:
    before = [_as_it_was(status, row) for row in rows]
    return store.render([status, *before], [*read_parts([status]), *(row.parts for row in rows)])


def _as_it_was(status: Status, version: StatusVersion) -> Status:
    """By the same author, to the same people but for those it named."""
    was = copy(status)
    was.edited_at = version.written_at
    for name, said in version.said.items():
        setattr(was, name, said)
    return was
