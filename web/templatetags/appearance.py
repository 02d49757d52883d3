"""`{% accent %}`: the color of the site, for the browser's own bars and for the style sheets."""

from functools import lru_cache
from typing import Any

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from configuration.accent import DARK_SURFACE, DEFAULT, style_sheet, version_of
from configuration.current import site

register = template.Library()


@register.simple_tag
def accent() -> SafeString:
    """After the other style sheets: it overrides them."""
    return _head(site().accent)


@register.simple_tag(takes_context=True)
def theme_class(context: Any) -> str:
    """For pages whose root element is not ours."""
    theme = context.get("theme")
    return f"theme-{theme}" if theme else ""


@lru_cache
def _head(color: str) -> SafeString:
    bars = format_html(
        '<meta name="theme-color" media="(prefers-color-scheme: light)" content="{}">\n'
        '  <meta name="theme-color" media="(prefers-color-scheme: dark)" content="{}">',
        color or DEFAULT,
        DARK_SURFACE,
    )
    if not color:
        return bars
    address = reverse("accent", args=[version_of(style_sheet(color))])
    return format_html('{}\n  <link rel="stylesheet" href="{}">', bars, address)
