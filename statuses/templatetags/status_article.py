"""Statuses, with what this reader may do with them."""

from collections.abc import Sequence

from django import template
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from ..html.page import page_html, thread_html
from ..html.rendering import article, detailed_article, entries_html
from ..reading.shown import Entry, ShownStatus, StatusPage
from ..threads.page import ThreadEntry

register = template.Library()


@register.simple_tag(takes_context=True)
def page_of_statuses(context: template.Context, page: StatusPage) -> SafeString:
    token = str(context["csrf_token"]) if _is_for_member(context) else ""
    return page_html(context["request"], page, token=token)


@register.simple_tag(takes_context=True)
def status_entries(context: template.Context, entries: Sequence[Entry]) -> SafeString:
    return entries_html(entries, for_member=_is_for_member(context))


@register.simple_tag(takes_context=True)
def status_article(
    context: template.Context, status: ShownStatus, *, is_still: bool = False
) -> SafeString:
    if is_still:
        return article(status._replace(boost=None))
    return entries_html([status], for_member=_is_for_member(context))


@register.simple_tag(takes_context=True)
def focused_article(context: template.Context, status: ShownStatus) -> SafeString:
    details = render_to_string("statuses/_reactions.html", {"status": status})
    return detailed_article(status, details, for_member=_is_for_member(context))


@register.simple_tag(takes_context=True)
def thread_entries(context: template.Context, entries: Sequence[ThreadEntry]) -> SafeString:
    return thread_html(entries, for_member=_is_for_member(context))


def _is_for_member(context: template.Context) -> bool:
    """Visitors have no buttons; nor has anybody while they would not work."""
    user = context.get("user")
    return bool(user and user.is_authenticated and not context.get("is_reduced"))
