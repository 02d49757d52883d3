"""`{% asset "css/base.css" %}`: what `{% static %}` gives, remembered: looking up the checksum
takes longer than writing it.
"""

from functools import lru_cache

from django import template
from django.templatetags.static import static

register = template.Library()


@register.simple_tag
def asset(path: str) -> str:
    return address_of(path)


@lru_cache
def address_of(path: str) -> str:
    return static(path)
