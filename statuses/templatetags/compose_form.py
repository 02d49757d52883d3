"""`{% compose_form back=request.path %}`: the form to post with, before anything is typed."""

import uuid
from functools import cache

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString

from web.kept_html import HOLE, filled, render_pieces

from ..forms import StatusForm

register = template.Library()


@register.simple_tag(takes_context=True)
def compose_form(
    context: template.Context, *, back: str, reply_to: int | None = None
) -> SafeString:
    """`back` is the page to return to. With the key, a form sent twice is posted once."""
    pieces = _blank_form(is_reply=reply_to is not None)
    values = [escape(back), str(context["csrf_token"]), str(reply_to or ""), uuid.uuid4().hex]
    return SafeString(filled(pieces, values))


@cache
def _blank_form(*, is_reply: bool) -> list[str]:
    initial = {"reply_to": HOLE, "idempotency_key": HOLE}
    form = StatusForm(initial=initial, is_reply=is_reply)
    context = {"form": form, "back": HOLE, "csrf_token": HOLE}
    return render_pieces("statuses/_compose.html", context)
