"""`{% compose_form back=request.path %}`: the form to post with, before anything is typed."""

from django import template
from django.utils.safestring import SafeString

from .. import page_html

register = template.Library()


@register.simple_tag(takes_context=True)
def compose_form(
    context: template.Context, *, back: str, reply_to: int | None = None
) -> SafeString:
    """`back` is the page to return to."""
    return page_html.compose_form(back=back, reply_to=reply_to, token=str(context["csrf_token"]))
