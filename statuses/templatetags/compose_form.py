"""`{% compose_form back=request.path %}`: the form to post with, before anything is typed."""

from django import template
from django.utils.safestring import SafeString

from users.audience import Visibility

from ..html import page as page_html

register = template.Library()


@register.simple_tag(takes_context=True)
def compose_form(
    context: template.Context,
    *,
    back: str,
    reply_to: int | None = None,
    answered: int = Visibility.PUBLIC,
    is_in_place: bool = False,
) -> SafeString:
    """`back` is the page to return to; `answered` is the visibility of the status that a reply
    answers; with `is_in_place`, the page has a place for the new status (`#posted`).
    """
    return page_html.compose_form(
        *(context["user"], back),
        token=str(context["csrf_token"]),
        reply_to=reply_to,
        answered=answered,
        is_in_place=is_in_place,
    )
