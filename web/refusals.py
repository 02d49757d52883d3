"""What the site won't do: one exception for all of it, and one place that answers it.

A browser gets a page, one of our scripts the words alone, a program JSON.
"""

import math
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin
from django_stubs_ext import StrOrPromise

from configuration.current import site

from .in_place import is_in_place
from .next_page import posted_next_page

P = ParamSpec("P")
Request = TypeVar("Request", bound=HttpRequest)
View = Callable[Concatenate[Request, P], HttpResponse]

PAGES = frozenset({400, 403, 404, 405, 413, 429, 503})
# Rendered without the request: its body, its session or its user may be what failed.
BARE = frozenset({413, 503})
JSON = "application/json"
RETRY_AFTER_SECONDS = 5


class Refusal(Exception):  # noqa: N818 - reads as what happened
    """`code` is for programs, `words` are for people. `retry_after`: 0 if waiting is no help."""

    def __init__(
        self,
        words: StrOrPromise,
        *,
        code: str,
        status: int = 400,
        retry_after: float = 0,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.words, self.code, self.status = str(words), code, status
        self.retry_after = retry_after
        self._headers = dict(headers or {})
        super().__init__(self.words)

    @property
    def headers(self) -> dict[str, str]:
        wait = {"Retry-After": str(math.ceil(self.retry_after))} if self.retry_after else {}
        return wait | self._headers

    @property
    def as_json(self) -> dict[str, str]:
        return {"error": self.words, "code": self.code}


def unavailable(words: StrOrPromise) -> Refusal:
    return Refusal(words, code="unavailable", status=503, retry_after=RETRY_AFTER_SECONDS)


def answer(
    request: HttpRequest, refusal: Refusal, *, page: int = 0, **context: Any
) -> HttpResponse:
    """`page`: the status whose page to show, if it is another's."""
    headers = refusal.headers
    if wants_json(request):
        headers |= getattr(request, "json_headers", {})
        response: HttpResponse = JsonResponse(refusal.as_json, status=refusal.status)
    elif is_in_place(request):
        headers["HX-Reswap"] = "none"  # htmx keeps what the page shows
        response = HttpResponse(refusal.words, status=refusal.status, content_type="text/plain")
    else:
        response = _page(request, refusal, page or refusal.status, context)
    _set(response, headers)
    patch_vary_headers(response, ["Accept", "HX-Request"])
    return response


def marked(response: HttpResponse, refusal: Refusal | None) -> HttpResponse:
    """A page that has room for the words itself gets the status and headers of the refusal."""
    if refusal:
        response.status_code = refusal.status
        _set(response, refusal.headers)
    return response


def _set(response: HttpResponse, headers: Mapping[str, str]) -> None:
    for name, value in headers.items():
        response.headers[name] = value


def _page(
    request: HttpRequest, refusal: Refusal, page: int, context: dict[str, Any]
) -> HttpResponse:
    number = page if page in PAGES else 400
    context = {"status": refusal.status, "reason": refusal.words} | context
    if number in BARE:
        context["site_name"] = site().name
        html = render_to_string(f"{number}.html", context)
        return HttpResponse(html, status=refusal.status)
    context["minutes"] = math.ceil(refusal.retry_after / 60)
    return render(request, f"{number}.html", context, status=refusal.status)


def wants_json(request: HttpRequest) -> bool:
    """Does a program ask, or does the page answer nothing else?"""
    if hasattr(request, "json_headers"):
        return True
    return not is_in_place(request) and request.get_preferred_type(["text/html", JSON]) == JSON


def answers_json(
    headers: Mapping[str, str] | None = None,
) -> Callable[[View[Request, P]], View[Request, P]]:
    """For a view that answers in JSON, whatever the request accepts, with these headers."""

    def decorator(view: View[Request, P]) -> View[Request, P]:
        @wraps(view)
        def wrapper(request: Request, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            request.json_headers = dict(headers or {})  # type: ignore[attr-defined] # read above
            response = view(request, *args, **kwargs)
            _set(response, headers or {})
            return response

        wrapper.answers_only_json = True  # type: ignore[attr-defined] # read below
        return wrapper

    return decorator


def answers_only_json(view: Callable[..., Any]) -> bool:
    """Decorators around it copy its attributes."""
    return getattr(view, "answers_only_json", False)


class AnswerRefusals(MiddlewareMixin):
    """Answers what a view refuses, with the way back that its form names."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, ValidationError):
            exception = Refusal(" ".join(exception.messages), code="invalid")
        return answer_of_view(request, exception) if isinstance(exception, Refusal) else None


def answer_of_view(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    default = request.get_full_path() if refusal.status == 429 else ""
    return answer(request, refusal, back=posted_next_page(request, default=default))
