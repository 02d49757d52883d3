"""Numbers as people read them."""

from django import template

from ..languages import grouped

register = template.Library()
register.filter(grouped)


@register.filter
def modulo(number: int, divisor: int) -> int:
    return number % divisor
