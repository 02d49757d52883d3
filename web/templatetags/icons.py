"""`{% icon "heart" %}`: an icon of Lucide, by its name there.

What nearly every page needs stands in the page (`templates/_icons.svg`); all others come from one
file that browsers keep.
"""

import re
from functools import lru_cache
from pathlib import Path

from django import template
from django.conf import settings
from django.utils.safestring import SafeString

from .asset import address_of

register = template.Library()

IN_THE_PAGE = settings.BASE_DIR / "templates/_icons.svg"
IN_A_FILE = settings.BASE_DIR / "static/img/icons.svg"


@register.simple_tag
@lru_cache
def icon(name: str, more_classes: str = "") -> SafeString:
    """A picture without a class is an icon; `icon-l` is larger, for the navigation."""
    attributes = f' class="icon {more_classes}"' if more_classes else ""
    return SafeString(f'<svg{attributes}><use href="{_place_of(name)}"/></svg>')


def _place_of(name: str) -> str:
    if name in _names(IN_THE_PAGE):
        return f"#{name}"
    if name in _names(IN_A_FILE):
        return f"{address_of('img/icons.svg')}#{name}"
    raise LookupError(f"There is no icon “{name}” in {IN_A_FILE.name}.")


@lru_cache
def _names(sprite: Path) -> frozenset[str]:
    return frozenset(re.findall(r'<symbol id="([^"]+)"', sprite.read_text()))
