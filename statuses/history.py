"""Edits: for how long a status can be edited, and what it said before."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import NamedTuple

from django.conf import settings

from relations.viewpoint import viewpoint_of
from users.models import User
from users.suspension import suspended_ids

from . import store
from .models import Status, StatusVersion
from .seeing.visibility import without_suspended
from .stored import StoredStatus

# How often a status can be edited: everything that goes through its versions stays small.
MOST_VERSIONS = 100


class Version(NamedTuple):
    """What a status said since a moment."""

    written_at: datetime
    status: StoredStatus


def may_still_be_edited(posted_at: datetime, now: datetime) -> bool:
    return now - posted_at < timedelta(minutes=settings.EDIT_MINUTES)


def history_of(status_id: int, *, viewer: User | None = None) -> list[Version]:
    """Every version, newest first, without links to people whom the viewer can't see; none if the
    status is gone. Three queries and two round trips.
    """
    row = Status.objects.with_names().filter(pk=status_id).first()
    if row is None:
        return []
    rows = _earlier_rows(status_id)
    moments = [row.edited_at or row.created_at, *(it.written_at for it in rows)]
    hidden = suspended_ids() | (viewpoint_of(viewer.pk).blocked if viewer else frozenset())
    said = [without_suspended(it, hidden) for it in store.render([row, *_as_statuses(row, rows)])]
    return [Version(*pair) for pair in zip(moments, said, strict=True)]


def earlier_versions(status: Status) -> list[StoredStatus]:
    """The newest first. Two queries if it was edited."""
    if status.edited_at is None:
        return []
    return store.render(_as_statuses(status, _earlier_rows(status.pk)))


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


def _as_statuses(status: Status, rows: Collection[StatusVersion]) -> list[Status]:
    """By the same author, in the same language."""
    return [
        Status(
            id=status.pk,
            author=status.author,
            text=row.text,
            warning=row.warning,
            language=status.language,
        )
        for row in rows
    ]
