"""What statuses need around them on a page, from kept HTML (`web/pages/kept_html.py`)."""

import uuid
from collections.abc import Sequence

from django.http import HttpRequest
from django.utils.html import escape
from django.utils.safestring import SafeString

from users.models import User
from web.cursors import page_address
from web.languages import kept_in_each_language
from web.pages.kept_html import KeptHtml, fill_template, holes, render_kept
from web.templatetags.navigation import avatar_of

from ..forms import StatusForm
from ..reading.shown import StatusPage
from ..threads.page import ThreadEntry
from ..visibility.predicate import usual_visibility
from .rendering import each_entry, entries_html

# About 6 kB each.
KEPT_FORMS = 500


def page_html(request: HttpRequest, page: StatusPage, *, token: str) -> SafeString:
    """`token` is the CSRF token of a member; empty for visitors, who have no buttons."""
    here = request.get_full_path()
    values = {
        "entries": entries_html(page.entries, for_member=bool(token)),
        "csrf_token": token,
        "here": here,
        "older": page_address(request, max_id=page.older),
        "newer": page_address(request, min_id=page.newer),
    }
    return fill_template("statuses/_page.html", values)


def thread_html(lines: Sequence[ThreadEntry], *, for_member: bool) -> SafeString:
    entries = each_entry([it.entry for it in lines], for_member=for_member)
    around = (_line(it.indent, joined=it.is_joined, continued=it.is_continued) for it in lines)
    filled = (it.filled({"entry": html}) for it, html in zip(around, entries, strict=True))
    return SafeString("\n".join(filled))


@kept_in_each_language(100)
def _line(indent: int, *, joined: bool, continued: bool) -> KeptHtml:
    line = {"indent": indent, "is_joined": joined, "is_continued": continued}
    return render_kept("statuses/_thread_entry.html", line | holes("entry"))


def compose_form(
    user: User,
    back: str,
    *,
    token: str,
    language: str,
    reply_to: int | None = None,
    answered: int = 0,
    offers_all_languages: bool = True,
) -> SafeString:
    """`back` is the page to return to, `language` what the browser prefers, `answered` the
    visibility of the status that a reply answers. The key in the form makes it post once if sent
    twice.
    """
    values = {
        "avatar": avatar_of(user),
        "back": escape(back),
        "csrf_token": token,
        "reply_to": str(reply_to or ""),
    }
    form = _blank_form(
        is_reply=reply_to is not None,
        visibility=usual_visibility(user, answered),
        is_private=user.is_private,
        language=user.posting_language or language,
        offers_all_languages=offers_all_languages,
    )
    return form.filled({**values, "idempotency_key": uuid.uuid4().hex})


@kept_in_each_language(KEPT_FORMS)
def _blank_form(
    *, is_reply: bool, visibility: int, is_private: bool, language: str, offers_all_languages: bool
) -> KeptHtml:
    form = StatusForm(initial=holes("reply_to", "idempotency_key"), is_reply=is_reply)
    form.suggest_visibility(User(default_visibility=visibility, is_private=is_private))
    form.suggest_language(language, offers_all=offers_all_languages)
    varying = holes("avatar", "back", "csrf_token", "reply_to")
    return render_kept("statuses/_compose.html", {"form": form} | varying)
