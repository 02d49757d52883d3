"""Statuses, with what this reader may do with them."""

from collections.abc import Iterable
from functools import lru_cache

from django import template
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe

from ..rendering import article
from ..stored import StoredStatus

register = template.Library()

# Authors look at their own profile often, and every status there has some.
KEPT_ACTIONS = 2_000


@register.simple_tag(takes_context=True)
def status_articles(
    context: template.Context, statuses: Iterable[StoredStatus], *, back: str = ""
) -> SafeString:
    """`{% status_articles page.statuses back=… %}`: all of a page, at the speed of a join.

    `back` is the page to return to after a deletion.
    """
    (viewer_id, moderates), now = _reader(context), timezone.now()
    articles = [
        article(status, now=now, actions=_actions(status, back))
        if moderates or status.author_id == viewer_id
        else article(status, now=now)
        for status in statuses
    ]
    return mark_safe("\n".join(articles))  # noqa: S308 - each is rendered by a template


@register.simple_tag(takes_context=True)
def status_article(
    context: template.Context, status: StoredStatus, *, is_still: bool = False
) -> SafeString:
    """`{% status_article status %}`: one; with `is_still`, without actions."""
    viewer_id, moderates = _reader(context)
    may_delete = not is_still and (moderates or status.author_id == viewer_id)
    actions = _actions(status, "") if may_delete else ""
    return article(status, now=timezone.now(), actions=actions)


def _reader(context: template.Context) -> tuple[int | None, bool]:
    """`may_delete` in the context lets moderators delete what others wrote."""
    return getattr(context.get("user"), "pk", None), bool(context.get("may_delete"))


@lru_cache(KEPT_ACTIONS)
def _actions(status: StoredStatus, back: str) -> SafeString:
    return render_to_string("statuses/_actions.html", {"status": status, "back": back})
