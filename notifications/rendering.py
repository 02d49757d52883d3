"""A notification as HTML, the same on a page and in a live update.

A process renders it once and keeps the result, except for its age. Whatever else changes makes
another `_Said`, and so another article.
"""

from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from statuses.html.age import time_between
from statuses.shown import ShownStatus
from web.kept_html import KeptHtml, holes, render_kept

from .facts import MOST_COUNTED
from .kinds import Kind
from .selectors import ShownNotification

# About 1 kB each.
KEPT_ARTICLES = 10_000
LONGEST_PREVIEW = 140
ICONS: dict[Kind, str] = {
    "mention": "@",
    "reply": "↩",
    "boost": "⟲",
    "like": "♥",
    "follow": "+",
    "edit": "✎",
    "request": "?",
}
# What they did, and to what. The second part leads to the status.
WORDS: dict[Kind, tuple[str, str]] = {
    "mention": ("mentioned you in", "a post"),
    "reply": ("replied to", "your post"),
    "boost": ("boosted", "your post"),
    "like": ("liked", "your post"),
    "follow": ("followed", "you"),
    "edit": ("edited", "a post you boosted"),
    "request": ("asked to follow", "you"),
}


class _Said(NamedTuple):
    """All that an article says, but for its age."""

    id: int
    kind: Kind
    is_unread: bool
    people: tuple[tuple[str, str], ...]
    """Their usernames and names."""

    others: str
    address: str
    preview: str
    happened_at: datetime


def notification_html(shown: ShownNotification, *, now: datetime) -> SafeString:
    said = _said(shown)
    return _article(said).filled({"age": time_between(said.happened_at, now)})


@lru_cache(KEPT_ARTICLES)
def _article(said: _Said) -> KeptHtml:
    deed, whom = WORDS[said.kind]
    words = {"icon": ICONS[said.kind], "deed": deed, "whom": whom}
    context = said._asdict() | words | holes("age")
    return render_kept("notifications/_notification.html", context)


def _said(shown: ShownNotification) -> _Said:
    stored, status = shown.stored, shown.status
    return _Said(
        id=stored.id,
        kind=stored.kind,
        is_unread=shown.is_unread,
        people=tuple((it.username, it.display_name) for it in shown.people),
        others=_others(shown),
        address=_address(shown),
        preview=_preview(status) if status else "",
        happened_at=stored.happened_at,
    )


def _address(shown: ShownNotification) -> str:
    """Where `whom` leads; empty: nowhere."""
    if shown.stored.kind == "request":
        return reverse("follow_requests")
    status = shown.status
    return reverse("status", args=[status.username, status.id]) if status else ""


def _preview(status: ShownStatus) -> str:
    """What a warning or a muted word folds away is not shown here either."""
    if status.folded:
        return "Muted word"
    return Truncator(status.summary).chars(LONGEST_PREVIEW)


def _others(shown: ShownNotification) -> str:
    """`3 others`; empty if all are named."""
    if shown.others < 1:
        return ""
    if shown.others + len(shown.people) >= MOST_COUNTED:
        return f"{MOST_COUNTED:,}+ others"
    return f"{shown.others:,} other{'' if shown.others == 1 else 's'}"
