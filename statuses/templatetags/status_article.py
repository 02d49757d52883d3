"""`{% status_article status back=… %}`: one status, with what this reader may do with it."""

from django import template
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from statuses.rendering import article
from statuses.store import StoredStatus

register = template.Library()


@register.simple_tag(takes_context=True)
def status_article(
    context: template.Context, status: StoredStatus, *, back: str = "", is_still: bool = False
) -> SafeString:
    """`back` is the page to return to after a deletion; `is_still` shows the status alone.

    Authors may delete their own; `may_delete` in the context lets moderators, too.
    """
    is_own = status.author_id == getattr(context.get("user"), "pk", None)
    if is_still or not (is_own or context.get("may_delete")):
        return article(status)
    actions = render_to_string("statuses/_actions.html", {"status": status, "back": back})
    return article(status, actions=actions)
