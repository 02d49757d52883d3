"""What the site announces on top of every page, until its reader closes it.

A cookie remembers which announcement was closed, so a new text shows again, and pages that are kept
for visitors exist at most twice.
"""

import hashlib

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from configuration.current import site

from ..languages import kept_in_each_language

COOKIE = "announcement"
COOKIE_SECONDS = 180 * 24 * 3600


def has_closed_announcement(request: HttpRequest) -> bool:
    said = site().announcement
    return bool(said) and request.COOKIES.get(COOKIE) == _digest(said)


def announcement(request: HttpRequest) -> SafeString | str:
    """Empty where there is none, or it was closed. Staff read that the others are shut out."""
    now = site()
    if not now.announcement and not now.in_maintenance:
        return ""
    return _html(is_closed=has_closed_announcement(request))


def remember_closed(response: HttpResponse) -> None:
    digest = _digest(site().announcement)
    response.set_cookie(COOKIE, digest, max_age=COOKIE_SECONDS, **settings.OWN_COOKIES)


@kept_in_each_language(2)
def _html(*, is_closed: bool) -> SafeString:
    now = site()
    said = "" if is_closed else now.announcement
    context = {"announcement": said, "in_maintenance": now.in_maintenance}
    return SafeString(render_to_string("_announcement.html", context).strip())


def _digest(said: str) -> str:
    return hashlib.blake2b(said.encode(), digest_size=8).hexdigest()
