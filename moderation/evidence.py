"""What was reported or measured, as it was at that moment: it may be edited or deleted later."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.urls import reverse

from statuses.models import Status, StatusVersion
from statuses.parts import evidence_of, read_parts
from statuses.stored import said_by
from tags.interests.selectors import interests_of
from users.audience import Visibility
from users.models import User

# The newest; an author can edit a status hundreds of times.
MOST_VERSIONS = 50

Evidence = dict[str, Any]


def of_account(account: User) -> Evidence:
    return {
        **_names(account),
        "bio": account.bio,
        "interests": [str(tag) for tag in interests_of(account).tags],
        "joined_at": _time(account.date_joined),
        "address": _address("profile", account.username),
    }


def of_status(status: Status) -> Evidence:
    return {
        **_names(status.author),
        **said_by(status),
        "reply_to": status.reply_to_id,
        "spoken_to": _spoken_to(status),
        "parts": evidence_of(read_parts([status])[0]),
        "visibility": status.get_visibility_display(),
        "for_everybody": is_for_everybody(status),
        "posted_at": _time(status.created_at),
        "edited_at": _time(status.edited_at),
        "address": _address("status", status.author.username, status.pk),
        "versions": _versions(status.pk),
    }


def is_for_everybody(status: Status) -> bool:
    """Moderators read nothing of what only some people see, unless it was reported."""
    return status.visibility <= Visibility.UNLISTED and not status.author.is_private


def withheld(evidence: Evidence) -> Evidence:
    told = ("account", "username", "name", "visibility", "posted_at")
    return {key: evidence.get(key) for key in told} | {"withheld": True}


def _spoken_to(status: Status) -> int | None:
    return None if status.reply_to_author_id == status.author_id else status.reply_to_author_id


def _names(account: User) -> Evidence:
    return {"account": account.pk, "username": account.username, "name": account.name}


def _versions(status_id: int) -> list[Evidence]:
    newest = StatusVersion.objects.filter(status_id=status_id).order_by("-pk")[:MOST_VERSIONS]
    return [
        {**it.said, "parts": evidence_of(it.parts), "written_at": _time(it.written_at)}
        for it in reversed(newest)
    ]


def _time(moment: datetime | None) -> str | None:
    return moment.isoformat(timespec="seconds") if moment else None


def _address(page: str, *names: str | int) -> str:
    return settings.SITE_URL + reverse(page, args=names)
