"""Statuses, with what this reader may do with them."""

from collections.abc import Iterable
from urllib.parse import quote

from django import template
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe

from ..rendering import Reader, article, shown_article
from ..shown import ShownStatus
from ..threads.page import Entry
from ..threads.rendering import entries_html

register = template.Library()


@register.simple_tag(takes_context=True)
def status_articles(
    context: template.Context, statuses: Iterable[ShownStatus], *, back: str = ""
) -> SafeString:
    """`{% status_articles page.statuses back=… %}`: all of a page, at the speed of a join.

    `back` is the page to return to after a deletion.
    """
    reader, now = _reader(context), timezone.now()
    query = _query(back)
    articles = [shown_article(entry, reader, now=now, back=query) for entry in statuses]
    return mark_safe("\n".join(articles))  # noqa: S308 - each is rendered by a template


@register.simple_tag(takes_context=True)
def status_article(
    context: template.Context, status: ShownStatus, *, is_still: bool = False, back: str = ""
) -> SafeString:
    """`{% status_article status %}`: one; with `is_still`, without actions."""
    now = timezone.now()
    if is_still:
        return article(status.status, now=now)
    return shown_article(status, _reader(context), now=now, back=_query(back))


@register.simple_tag(takes_context=True)
def thread_entries(context: template.Context, entries: Iterable[Entry]) -> SafeString:
    """`{% thread_entries thread.replies %}`"""
    request = context["request"]
    return entries_html(
        *(entries, _reader(context)),
        now=timezone.now(),
        path=request.path,
        back=_query(request.get_full_path()),
    )


def _query(back: str) -> str:
    return f"?next={quote(back, safe='')}" if back else ""


def _reader(context: template.Context) -> Reader:
    """`may_delete` in the context lets moderators delete what others wrote."""
    return Reader(getattr(context.get("user"), "pk", None), bool(context.get("may_delete")))
