"""A whole page for somebody who is logged in, from kept HTML."""

from collections.abc import Mapping
from typing import Any

from django.contrib.messages import get_messages
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from ..templatetags.navigation import member_menu, member_navigation
from .announcements import announcement
from .kept_html import fill_template
from .reduced_service import is_reduced


def member_page(
    request: HttpRequest, template: str, values: Mapping[str, str], *, token: str
) -> HttpResponse:
    """Like `render`, for a template that gets neither request nor user, only these values."""
    user: Any = request.user
    frame = {
        "navigation": member_navigation(user, request.path, token=token),
        "account_menu": member_menu(user, token=token),
        "announcement": announcement(request),
        "notices": _notices(request, user),
        "theme": user.theme,
        "has_no_shortcuts": "" if user.has_shortcuts else "off",
    }
    return HttpResponse(fill_template(template, {**frame, **values}))


def _notices(request: HttpRequest, user: Any) -> SafeString | str:
    if not get_messages(request) and not user.unread_warnings and not is_reduced(request):
        return ""
    return render_to_string("_notices.html", request=request)
