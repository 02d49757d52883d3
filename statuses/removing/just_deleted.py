"""Back after deleting: the pages of a post that this browser has just deleted lead on instead of
answering 404.

A cookie remembers them. The session would have to be written to SQL and Redis for each deletion.
"""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from django.conf import settings
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from users.decorators import MemberRequest
from web.in_place import is_in_place

P = ParamSpec("P")
Request = TypeVar("Request", bound=HttpRequest)
View = Callable[Concatenate[Request, P], HttpResponse]

COOKIE = "deleted"
KEPT_SECONDS = 60 * 60
# That the cookie remembers, with where each deletion led to.
MOST = 10
LONGEST_ADDRESS = 200
HOME = "/"


def note(request: MemberRequest, response: HttpResponse, status_id: int, led_to: str) -> None:
    known = led_to if len(led_to) <= LONGEST_ADDRESS else HOME
    deleted = list((_deleted(request) | {str(status_id): known}).items())[-MOST:]
    value = signing.dumps(dict(deleted), salt=_salt(request), compress=True)
    response.set_cookie(COOKIE, value, max_age=KEPT_SECONDS, **settings.OWN_COOKIES)


def is_noted(request: HttpRequest, status_id: int) -> bool:
    return str(status_id) in _deleted(request)


def _deleted(request: HttpRequest) -> dict[str, str]:
    try:
        found: dict[str, str] = signing.loads(
            request.COOKIES.get(COOKIE, ""), salt=_salt(request), max_age=KEPT_SECONDS
        )
    except signing.BadSignature:
        return {}
    return found


def _salt(request: HttpRequest) -> str:
    """Differs by account: others may use this browser next."""
    return f"just deleted by {request.user.pk}"


def leads_on(view: View[Request, P]) -> View[Request, P]:
    @wraps(view)
    def wrapper(request: Request, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except Http404:
            deleted = _deleted(request)
            led_to = deleted.get(str(kwargs.get("status_id")))
            if led_to is None or request.method == "POST" or is_in_place(request):
                raise
            # Never in circles: that page may have been deleted too.
            is_gone = any(f"/{status_id}/" in led_to for status_id in deleted)
            return redirect(HOME if is_gone else led_to)

    return wrapper
