"""`{% compose_form back=request.path %}`: the form to post with, before anything is typed."""

import uuid
from functools import lru_cache

from django import template
from django.utils.safestring import SafeString

from web.kept_html import HOLE, render_pieces

from ..forms import StatusForm

register = template.Library()


@register.simple_tag(takes_context=True)
def compose_form(context: template.Context, *, back: str) -> SafeString:
    """`back` is the page to return to. With the key, a form sent twice is posted once."""
    before_token, before_key, end = _blank_form(back)
    key = uuid.uuid4().hex
    return SafeString(f"{before_token}{context['csrf_token']}{before_key}{key}{end}")


@lru_cache(1_000)
def _blank_form(back: str) -> list[str]:
    form = StatusForm(initial={"idempotency_key": HOLE})
    context = {"form": form, "back": back, "csrf_token": HOLE}
    return render_pieces("statuses/_compose.html", context)
