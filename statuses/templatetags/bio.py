"""`{{ account.bio|linked }}`: with links, tags and mentions. One query if it names anybody."""

from django import template
from django.utils.safestring import SafeString

from ..html.bio import bio_html

register = template.Library()


@register.filter
def linked(bio: str) -> SafeString:
    return bio_html(bio)
