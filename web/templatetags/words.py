"""`{% words_for_scripts %}`: what scripts say, in the reader's language; where the streams are."""

from functools import lru_cache
from typing import Any

from django import template
from django.conf import settings
from django.urls import reverse
from django.utils.html import json_script
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext, pgettext
from django.utils.translation import gettext as _

register = template.Library()


@register.simple_tag
def words_for_scripts() -> SafeString:
    return _html(get_language())


@lru_cache
def _html(_language: str | None) -> SafeString:
    html = json_script(_words(), "words")
    places = f'<script data-streams="{settings.STREAM_URL}" data-now="{reverse("now")}"'
    return SafeString(html.replace("<script", places, 1))


def _words() -> dict[str, Any]:
    return {
        "undo": _("Undo"),
        "lost": _("No connection. Nothing was changed."),
        "failed": _("Something went wrong. Try again."),
        "copied": _("Link copied"),
        "posted": _("Posted"),
        "deleting": _("Deleting the post"),
        "deleted": _("The post is deleted."),
        "unfollowed": _("Unfollowed"),
        "mute": _("You muted @%(name)s."),
        "block": _("You blocked @%(name)s."),
        "mute_thread": _("Conversation muted"),
        "unmuted": _("Conversation unmuted"),
        "dismissed": _("@%(name)s will not be suggested to you any more."),
        "unread": _("unread"),
        "newPosts": [
            ngettext("Show %(number)s new post", "Show %(number)s new posts", 1),
            ngettext("Show %(number)s new post", "Show %(number)s new posts", 2),
        ],
        "above": [
            ngettext("%(number)s new post above", "%(number)s new posts above", 1),
            ngettext("%(number)s new post above", "%(number)s new posts above", 2),
        ],
        "more": [
            ngettext("%(number)s more post", "%(number)s more posts", 1),
            ngettext("%(number)s more post", "%(number)s more posts", 2),
        ],
        "tooLong": [
            ngettext("%(number)s character too long", "%(number)s characters too long", 1),
            ngettext("%(number)s character too long", "%(number)s characters too long", 2),
        ],
        "now": pgettext("age", "now"),
        "minutes": pgettext("age", "%(minutes)sm"),
        "hours": pgettext("age", "%(hours)sh"),
        "days": pgettext("age", "%(days)sd"),
    }
