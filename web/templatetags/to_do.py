from typing import Any

from django import template

from ..admin.leads import Link
from ..admin.to_do import all_for

register = template.Library()


@register.simple_tag(takes_context=True)
def to_do(context: Any) -> list[Link]:
    return all_for(context["request"])
