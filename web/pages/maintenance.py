"""While the site is in maintenance, only staff can use it: all others are told so, with 503."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import gettext

from configuration.current import site

from ..refusals import Refusal, answer, answers_only_json

# Staff have to come in; what is the same for everybody says nothing about anybody. Programs that
# watch the site go on: what they may read is up to each of them.
OPEN = frozenset(
    {
        *("login", "login_code", "logout", "choose_language", "close_announcement"),
        *(
            "healthz",
            "metrics",
            "robots",
            "favicon",
            "accent",
            "manifest",
            "service_worker",
            "offline",
        ),
        *("picture", "keyboard"),
    }
)
RETRY_AFTER_SECONDS = 300


class ClosedForMaintenance(MiddlewareMixin):
    """After the account is known, and before any view runs."""

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], *_rest: Any
    ) -> HttpResponse | None:
        if not site().in_maintenance or _is_open(request):
            return None
        if answers_only_json(view):
            request.json_headers = {}  # type: ignore[attr-defined] # read by `wants_json`
        words = gettext("The site is being worked on. Please come back in a few minutes.")
        refusal = Refusal(words, code="maintenance", status=503, retry_after=RETRY_AFTER_SECONDS)
        response = answer(request, refusal, in_maintenance=True, contact=site().contact)
        response.headers["Cache-Control"] = "no-store"
        response.is_for_maintenance = True  # type: ignore[attr-defined] # read below
        return response


def is_for_maintenance(response: HttpResponseBase) -> bool:
    """A 503 that was decided on, and is no failure."""
    return getattr(response, "is_for_maintenance", False)


def _is_open(request: HttpRequest) -> bool:
    match = request.resolver_match
    if match is not None and match.view_name in OPEN:
        return True
    user: Any = request.user
    return bool(user.is_authenticated and user.is_staff)
