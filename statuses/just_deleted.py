"""Back after deleting: the pages of a post that this browser has just deleted lead on instead of
answering 404.
"""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from users.decorators import MemberRequest
from web.in_place import is_in_place

P = ParamSpec("P")
Request = TypeVar("Request", bound=HttpRequest)
View = Callable[Concatenate[Request, P], HttpResponse]

KEY = "deleted"
# That a session remembers, with where each deletion led to.
MOST = 10
HOME = "/"


def note(request: MemberRequest, status_id: int, led_to: str) -> None:
    deleted: dict[str, str] = request.session.get(KEY, {}) | {str(status_id): led_to}
    request.session[KEY] = dict(list(deleted.items())[-MOST:])


def is_noted(request: HttpRequest, status_id: int) -> bool:
    return str(status_id) in request.session.get(KEY, {})


def leads_on(view: View[Request, P]) -> View[Request, P]:
    """Of a page about one status (`status_id`)."""

    @wraps(view)
    def wrapper(request: Request, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except Http404:
            deleted: dict[str, str] = request.session.get(KEY, {})
            led_to = deleted.get(str(kwargs.get("status_id")))
            if led_to is None or request.method == "POST" or is_in_place(request):
                raise
            # Never in circles: that page may have been deleted too.
            is_gone = any(f"/{status_id}/" in led_to for status_id in deleted)
            return redirect(HOME if is_gone else led_to)

    return wrapper
