"""`{% nav_link "home" "Home" %}`: a link of the navigation, marked if it leads to this page."""

from functools import lru_cache

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag(takes_context=True)
def nav_link(context: template.Context, name: str, label: str, *arguments: str) -> SafeString:
    address = _address(name, *arguments)
    request = context.get("request")
    if request is not None and request.path == address:
        return format_html('<a href="{}" aria-current="page">{}</a>', address, label)
    return format_html('<a href="{}">{}</a>', address, label)


@lru_cache(1_000)
def _address(name: str, *arguments: str) -> str:
    """The same few on every page; looking one up anew takes longer than writing it."""
    return reverse(name, args=arguments)
