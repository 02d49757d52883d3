"""`{% navigation %}`: the links at the top of every page."""

from functools import lru_cache
from typing import Any

from django import template
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString

from ..kept_html import HOLE, render_pieces

register = template.Library()

# About 1 kB each.
KEPT_NAVIGATIONS = 10_000


@register.simple_tag(takes_context=True)
def navigation(context: template.Context) -> SafeString:
    user: Any = context["user"]
    path = context["request"].path
    if not user.is_authenticated:
        return _for_visitors(path if path == reverse("explore") else "")
    here = path if path in _places(user.username) else ""
    before_unread, before_token, end = _for_member(user.username, here, is_staff=user.is_staff)
    unread = _unread(user.unread_notifications)
    return SafeString(f"{before_unread}{unread}{before_token}{context['csrf_token']}{end}")


@lru_cache
def _unread(count: int) -> str:
    """Beside the link to the notifications; nothing for none."""
    html = render_to_string("_unread.html", {"count": count}).strip()
    return f" {html}" if html else ""


@lru_cache(KEPT_NAVIGATIONS)
def _for_member(username: str, here: str, *, is_staff: bool) -> list[str]:
    *places, settings = _places(username).items()
    context = {"places": places, "account": [settings], "here": here, "is_staff": is_staff}
    holes = {"notifications": reverse("notifications"), "unread": HOLE, "csrf_token": HOLE}
    return render_pieces("_navigation.html", context | holes)


@lru_cache(KEPT_NAVIGATIONS)
def _places(username: str) -> dict[str, str]:
    """Where the links lead, and what they say."""
    return {
        reverse("home"): "Home",
        reverse("explore"): "Explore",
        reverse("notifications"): "Notifications",
        reverse("mentions"): "Mentions",
        reverse("tags"): "Tags",
        reverse("lists"): "Lists",
        reverse("bookmarks"): "Bookmarks",
        reverse("profile", args=[username]): "Profile",
        reverse("settings"): "Settings",
    }


@lru_cache
def _for_visitors(here: str) -> SafeString:
    return render_to_string("_visitor_navigation.html", {"here": here})
