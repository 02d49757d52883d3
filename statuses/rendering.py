"""A status as HTML. The same article serves a page, a fragment and a live update.

Nearly all of it is the same for every reader, so a process renders a status once and keeps the
result; only the age and the reader's own actions are put in each time. A changed status, or an
author's new name, makes another `StoredStatus`, and so another article.
"""

from functools import lru_cache

from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from .store import StoredStatus
from .templatetags.status_time import ago

# About 2 kB each.
KEPT_ARTICLES = 20_000
# Control characters can't stand in a status, nor in a name.
AGE, ACTIONS = "\x01age\x01", "\x01actions\x01"


def article(status: StoredStatus, *, actions: str = "") -> SafeString:
    """`actions` is HTML: what the reader may do with the status."""
    html = _article(status).replace(AGE, ago(status.posted_at)).replace(ACTIONS, actions)
    return mark_safe(html)  # noqa: S308 - rendered by a template, which escapes


@lru_cache(KEPT_ARTICLES)
def _article(status: StoredStatus) -> str:
    context = {"status": status, "age": AGE, "actions": mark_safe(ACTIONS)}  # noqa: S308 - a constant
    return render_to_string("statuses/_status.html", context).strip()
