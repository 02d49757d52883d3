"""`{% avatar person %}`: the picture of an account, person or author, or else initials on a colour.

What is said of them stands beside it, so programs that read a page aloud skip it.
"""

from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from pictures.kinds import JPEG, SMALL, WEBP, address, whole_address

from ..pictures.initials import initials
from ..pictures.kinds import AVATAR, HEADER

register = template.Library()

HUES = 24
# In pixels, as the style sheet has them.
SIZES = {"": 44, "s": 32, "xs": 22, "xl": 112}


@register.simple_tag
def avatar(who: Any, size: str = "", href: str = "") -> SafeString:
    """`size`: s, xs, xl, or nothing for cards. `href` makes it a link, for pointers alone."""
    classes = f"avatar avatar-{size}" if size else "avatar"
    if who.avatar:
        return _picture(_source(who.avatar, size), SIZES[size], classes, href)
    classes += f" hue-{_id_of(who) % HUES}"
    letters = initials(who.name, who.username)
    if href:
        return _link(href, classes, letters)
    return format_html('<span class="{}" aria-hidden="true">{}</span>', classes, letters)


def _id_of(who: Any) -> int:
    found: int = getattr(who, "author_id", None) or who.id or 0
    return found


def _source(token: str, size: str) -> str:
    return address(AVATAR, token, WEBP if size == "xl" else SMALL)


def _picture(source: str, side: int, classes: str, href: str) -> SafeString:
    """Inside a link, the link has the size: a page has many of them."""
    if href:
        return _link(href, classes, format_html('<img src="{}" alt="" loading="lazy">', source))
    image = '<img class="{}" src="{}" alt="" width="{}" height="{}" loading="lazy">'
    return format_html(image, classes, source, side, side)


def _link(href: str, classes: str, inside: str) -> SafeString:
    link = '<a class="{}" href="{}" tabindex="-1" aria-hidden="true">{}</a>'
    return format_html(link, classes, href, inside)


@register.simple_tag
def header_picture(account: Any) -> SafeString:
    if not account.header:
        return SafeString("")
    return format_html(
        '<picture><source srcset="{}" type="image/webp">'
        '<img class="band" src="{}" alt="" width="{}" height="{}"></picture>',
        address(HEADER, account.header, WEBP),
        address(HEADER, account.header, JPEG),
        HEADER.width,
        HEADER.height,
    )


@register.simple_tag
def avatar_address(who: Any) -> str:
    """For other sites, such as in `og:image`; empty without a picture."""
    return whole_address(AVATAR, who.avatar) if who.avatar else ""
