"""`{% compose_form back=request.path %}`: the form to post with, before anything is typed."""

from django import template
from django.utils.safestring import SafeString

from users.audience import Visibility
from web.languages import accepted_by

from ..html import page as page_html
from ..words import languages

register = template.Library()


@register.simple_tag(takes_context=True)
def compose_form(
    context: template.Context,
    *,
    back: str,
    reply_to: int | None = None,
    answered: int = Visibility.PUBLIC,
) -> SafeString:
    """`answered` is the visibility of the status that a reply answers. A script puts the new status
    into the page's `#posted`, if it has one.
    """
    return page_html.compose_form(
        *(context["user"], back),
        token=str(context["csrf_token"]),
        reply_to=reply_to,
        answered=answered,
        language=languages.accepted(accepted_by(context["request"])),
    )
