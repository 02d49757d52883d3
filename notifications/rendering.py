"""A notification as HTML, the same on a page and in a live update."""

from datetime import datetime

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from statuses.age import time_between

from .facts import MOST_COUNTED
from .kinds import Kind
from .selectors import ShownNotification

ICONS: dict[Kind, str] = {
    "mention": "@",
    "reply": "↩",
    "boost": "⟲",
    "like": "♥",
    "follow": "+",
    "edit": "✎",
}
# What they did, and to what. The second part leads to the status.
WORDS: dict[Kind, tuple[str, str]] = {
    "mention": ("mentioned you in", "a post"),
    "reply": ("replied to", "your post"),
    "boost": ("boosted", "your post"),
    "like": ("liked", "your post"),
    "follow": ("followed", "you"),
    "edit": ("edited", "a post you boosted"),
}


def notification_html(shown: ShownNotification, *, now: datetime) -> SafeString:
    deed, whom = WORDS[shown.stored.kind]
    context = {
        "notification": shown,
        "icon": ICONS[shown.stored.kind],
        "deed": deed,
        "whom": whom,
        "others": _others(shown),
        "preview": _preview(shown),
        "happened_at": shown.stored.happened_at,
        "age": time_between(shown.stored.happened_at, now),
    }
    return render_to_string("notifications/_notification.html", context)


def _others(shown: ShownNotification) -> str:
    """`3 others`; empty if all are named."""
    if shown.others < 1:
        return ""
    if shown.others + len(shown.people) >= MOST_COUNTED:
        return f"{MOST_COUNTED:,}+ others"
    return f"{shown.others:,} other{'' if shown.others == 1 else 's'}"


def _preview(shown: ShownNotification) -> str:
    """What a warning folds away is not shown here either."""
    if shown.status is None:
        return ""
    return shown.status.status.warning or shown.status.text
