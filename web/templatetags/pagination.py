"""`{% page_address max_id=… as older %}`: the address of another page of the same timeline."""

from django import template

from ..cursors import page_address as address

register = template.Library()


@register.simple_tag(takes_context=True)
def page_address(context: template.Context, **cursor: int | None) -> str:
    return address(context["request"], **cursor)
