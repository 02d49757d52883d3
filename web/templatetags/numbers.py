"""Numbers as people read them, and as addresses have them."""

from django import template

from .. import cursors
from ..languages import grouped

register = template.Library()
register.filter(grouped)


@register.filter
def modulo(number: int, divisor: int) -> int:
    return number % divisor


@register.simple_tag(takes_context=True)
def page_address(context: template.Context, **cursor: int | None) -> str:
    return cursors.page_address(context["request"], **cursor)
