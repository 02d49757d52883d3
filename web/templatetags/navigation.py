"""`{% navigation %}`: the links at the top of every page."""

from functools import lru_cache
from typing import Any

from django import template
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString

from ..kept_html import KeptHtml, holes, render_kept

register = template.Library()

# About 1 kB each.
KEPT_NAVIGATIONS = 10_000


@register.simple_tag(takes_context=True)
def navigation(context: template.Context) -> SafeString:
    user: Any = context["user"]
    path = context["request"].path
    if not user.is_authenticated:
        return _for_visitors(path if path == reverse("explore") else "")
    return member_navigation(user, path, token=str(context["csrf_token"]))


def member_navigation(user: Any, path: str, *, token: str) -> SafeString:
    """`path` is that of the page."""
    here = path if path in _places(user.username) else ""
    kept = _for_member(user.username, here, is_staff=user.is_staff)
    return kept.filled({"unread": _unread(user.unread_notifications), "csrf_token": token})


@lru_cache
def _unread(count: int) -> str:
    """Beside the link to the notifications; nothing for none."""
    html = render_to_string("_unread.html", {"count": count}).strip()
    return f" {html}" if html else ""


@lru_cache(KEPT_NAVIGATIONS)
def _for_member(username: str, here: str, *, is_staff: bool) -> KeptHtml:
    *places, settings = _places(username).items()
    context = {"places": places, "account": [settings], "here": here, "is_staff": is_staff}
    counted = {"notifications": reverse("notifications")} | holes("unread", "csrf_token")
    return render_kept("_navigation.html", context | counted)


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
