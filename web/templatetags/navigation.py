"""`{% navigation %}` and `{% account_menu %}`: the ways to all places, on every page."""

from typing import Any, NamedTuple

from django import template
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from configuration.current import site

from ..languages import kept_in_each_language
from ..pages.kept_html import KeptHtml, holes, render_kept
from ..pages.staff_places import StaffPlace, places_for_staff
from ..pages.unread_messages import unread_of

register = template.Library()

# About 5 kB each.
KEPT_NAVIGATIONS = 10_000
# Templates of what only some of the staff find: among the places, and in the menu of the account.
COUNTS = ("unread", "unread_messages")
STAFF_PLACES = ("staff_places", "staff_menu")


class NavItem(NamedTuple):
    address: str
    icon: str
    label: Any
    is_wide_only: bool = False  # not in the bar at the foot of a phone
    counts: str = ""  # the hole with how many are unread


class Face(NamedTuple):
    id: int
    username: str
    name: str
    avatar: str


class Member(NamedTuple):
    face: Face
    is_staff: bool

    def context(self) -> dict[str, Any]:
        id_, username, name, _ = self.face
        return {
            "id": id_,
            "username": username,
            "name": name or username,
            "avatar": _avatar(self.face),
            "is_staff": self.is_staff,
        }


@register.simple_tag(takes_context=True)
def navigation(context: template.Context) -> SafeString:
    user: Any = context["user"]
    path = context["request"].path
    if not user.is_authenticated:
        return _for_visitors(path if path == reverse("explore") else "")
    return member_navigation(user, path, token=str(context["csrf_token"]))


@register.simple_tag(takes_context=True)
def account_menu(context: template.Context) -> SafeString:
    """Beside the heading, on phones; visitors have the logo there."""
    user: Any = context["user"]
    if not user.is_authenticated:
        return _logo()
    return member_menu(user, token=str(context["csrf_token"]))


def member_navigation(user: Any, path: str, *, token: str) -> SafeString:
    items = {item.address for item in _items(user.username)}
    here = path if path in items else ""
    kept = _for_member(_member(user), here)
    values = {
        "unread": _unread(user.unread_notifications),
        "unread_messages": unread_badge(user),
        "csrf_token": token,
    }
    places = {name: _staff_places(user, name) for name in STAFF_PLACES}
    return kept.filled(values | places)


def unread_badge(user: Any) -> str:
    return _unread(unread_of(user))


def member_menu(user: Any, *, token: str) -> SafeString:
    values = {"csrf_token": token, "staff_menu": _staff_places(user, "staff_menu")}
    return _menu(_member(user)).filled(values)


def _staff_places(user: Any, template: str) -> str:
    """Asked once a request, and only of the staff."""
    if not user.is_staff:
        return ""
    if not hasattr(user, "staff_places"):
        user.staff_places = tuple(filter(None, places_for_staff(user)))
    return _staff_links(user.staff_places, template)


@kept_in_each_language(KEPT_NAVIGATIONS)
def _staff_links(places: tuple[StaffPlace, ...], template: str) -> str:
    return render_to_string(f"_{template}.html", {"places": places}).strip()


def _member(user: Any) -> Member:
    return Member(_face(user), user.is_staff)


def avatar_of(user: Any) -> SafeString:
    return _avatar(_face(user))


def _face(user: Any) -> Face:
    return Face(user.pk, user.username, user.name, user.avatar)


@kept_in_each_language(KEPT_NAVIGATIONS)
def _avatar(face: Face) -> SafeString:
    return SafeString(render_to_string("users/_avatar.html", {"person": face}).strip())


@kept_in_each_language(KEPT_NAVIGATIONS)
def _unread(count: int) -> str:
    html = render_to_string("_unread.html", {"count": count}).strip()
    return f" {html}" if html else ""


@kept_in_each_language(KEPT_NAVIGATIONS)
def _for_member(member: Member, here: str) -> KeptHtml:
    context = {
        **member.context(),
        "items": _items(member.face.username),
        "here": here,
        "compose": reverse("compose"),
        "site_name": site().name,
    }
    return render_kept("_navigation.html", context | holes(*COUNTS, "csrf_token", *STAFF_PLACES))


@kept_in_each_language(KEPT_NAVIGATIONS)
def _menu(member: Member) -> KeptHtml:
    varying = holes("csrf_token", "staff_menu")
    return render_kept("_account_menu.html", member.context() | varying)


@kept_in_each_language(KEPT_NAVIGATIONS)
def _items(username: str) -> list[NavItem]:
    return [
        NavItem(reverse("home"), "house", _("Home")),
        NavItem(reverse("explore"), "search", _("Explore")),
        NavItem(reverse("notifications"), "bell", _("Notifications"), counts="unread"),
        NavItem(reverse("chats"), "messages-square", _("Messages"), counts="unread_messages"),
        NavItem(reverse("bookmarks"), "bookmark", _("Bookmarks"), is_wide_only=True),
        NavItem(reverse("lists"), "list", _("Lists"), is_wide_only=True),
        NavItem(reverse("profile", args=[username]), "user", _("Profile")),
        NavItem(reverse("settings"), "settings", _("Settings"), is_wide_only=True),
    ]


@kept_in_each_language(KEPT_NAVIGATIONS)
def _for_visitors(here: str) -> SafeString:
    now = site()
    context = {"here": here, "site_name": now.name, "takes_anybody": now.takes_anybody}
    return SafeString(render_to_string("_visitor_navigation.html", context))


@kept_in_each_language(KEPT_NAVIGATIONS)
def _logo() -> SafeString:
    return format_html(
        '<a class="icon-button account" href="/" aria-label="{}">'
        '<svg class="logo"><use href="#logo"/></svg></a>',
        site().name,
    )
