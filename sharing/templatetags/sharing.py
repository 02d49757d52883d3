"""`{{ path|absolute }}`: the whole address of a page or file of this site."""

from typing import Any

from django import template
from django.templatetags.static import static
from django.urls import reverse
from django.utils.http import urlencode

from pictures.kinds import whole_address
from users.pictures.kinds import AVATAR

from ..addresses import absolute as absolute_address

register = template.Library()

SITE_PICTURE = "img/icon-512.png"


@register.filter
def absolute(path: str) -> str:
    return absolute_address(str(path))


@register.simple_tag
def oembed_address(page: str) -> str:
    return absolute_address(f"{reverse('oembed')}?{urlencode({'url': absolute_address(page)})}")


@register.simple_tag
def shared_picture(who: Any) -> str:
    """The avatar, or the site's picture. As JPEG: not every site that shows links knows WebP."""
    token = getattr(who, "avatar", "")
    return whole_address(AVATAR, token) if token else absolute_address(static(SITE_PICTURE))
