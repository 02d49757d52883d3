"""Statuses, with what this reader may do with them."""

from collections.abc import Sequence

from django import template
from django.utils import timezone
from django.utils.safestring import SafeString

from ..html.page import Page, page_html
from ..html.rendering import Reader, article, articles
from ..selectors import moderates
from ..shown import ShownStatus
from ..threads.page import Entry
from ..threads.rendering import entries_html

register = template.Library()


@register.simple_tag(takes_context=True)
def page_of_statuses(context: template.Context, page: Page) -> SafeString:
    """`{% page_of_statuses page %}`: with the ways to the pages before and after."""
    reader = _reader(context)
    token = "" if reader.id is None else str(context["csrf_token"])
    return page_html(context["request"], page, reader, token=token)


@register.simple_tag(takes_context=True)
def status_articles(
    context: template.Context, statuses: Sequence[ShownStatus], *, back: str = ""
) -> SafeString:
    """`{% status_articles page.statuses back=… %}`: `back` is the page to return to after a
    deletion.
    """
    return articles(statuses, _reader(context), back=back)


@register.simple_tag(takes_context=True)
def status_article(
    context: template.Context, status: ShownStatus, *, is_still: bool = False, back: str = ""
) -> SafeString:
    """`{% status_article status %}`: one; with `is_still`, without actions."""
    if is_still:
        return article(status.status, now=timezone.now())
    return articles([status], _reader(context), back=back)


@register.simple_tag(takes_context=True)
def thread_entries(context: template.Context, entries: Sequence[Entry]) -> SafeString:
    """`{% thread_entries thread.replies %}`"""
    request = context["request"]
    back = request.get_full_path()
    return entries_html(entries, _reader(context), path=request.path, back=back)


def _reader(context: template.Context) -> Reader:
    user = context.get("user")
    return Reader(getattr(user, "pk", None), moderates(user))
