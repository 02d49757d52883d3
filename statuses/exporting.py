"""What people said and did, for the export of their data."""

from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from redistools.chunks import chunks
from redistools.ids import time_of
from users.export.register import AT_ONCE, Row, exports, leave_out, walk
from users.models import User

from .models import Bookmark, Like, Status, StatusVersion
from .parts import Said, export_of, read_parts
from .stored import said_by


@exports("statuses", title=_("Posts"), covers=["statuses.Status.author"])
def statuses(user: User) -> Iterator[Row]:
    rows = Status.objects.filter(author=user).prefetch_related("versions")
    for some in chunks(walk(rows), AT_ONCE):
        yield from (_status(user, *it) for it in zip(some, read_parts(some), strict=True))


def _status(user: User, status: Status, parts: Said) -> Row:
    return {
        "id": status.pk,
        "address": _address(user.username, status.pk),
        "posted_at": status.created_at,
        "edited_at": status.edited_at,
        **said_by(status),
        **export_of(parts),
        "visibility": status.get_visibility_display(),
        "reply_to": status.reply_to_id,
        "boost_of": status.boost_of_id,
        "likes": status.likes_count,
        "boosts": status.boosts_count,
        "replies": status.replies_count,
        "earlier_versions": [_version(version) for version in status.versions.all()],
    }


@exports("likes", title=_("Posts you like"), covers=["statuses.Like.user"])
def likes(user: User) -> Iterator[Row]:
    return _marked(Like.objects.filter(user=user), "liked_at", user)


@exports("bookmarks", title=_("Bookmarks"), covers=["statuses.Bookmark.user"])
def bookmarks(user: User) -> Iterator[Row]:
    return _marked(Bookmark.objects.filter(user=user), "kept_at", user)


leave_out(
    "statuses.Status.reply_to_author",
    "statuses.Status.boost_of_author",
    because="The answers and boosts of others are theirs.",
)
leave_out(
    "statuses.Mention.user", "statuses.Mention.author", because="Found in the posts themselves."
)


def _marked(rows: QuerySet[Any], when: str, user: User) -> Iterator[Row]:
    """Exports only where they lead: what others said is theirs, and may have been hidden since."""
    visible = Status.objects.visible_to(user)
    for row in walk(rows.filter(status__in=visible).select_related("status__author")):
        address = _address(row.status.author.username, row.status_id)
        yield {"status": row.status_id, "address": address, when: time_of(row.pk)}


def _version(version: StatusVersion) -> Row:
    return {"written_at": version.written_at, **version.said, **export_of(version.parts)}


def _address(username: str, status_id: int) -> str:
    return settings.SITE_URL + reverse("status", args=[username, status_id])
