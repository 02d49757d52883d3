"""Who sees a page, and what they see instead."""

import math
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from redistools.rate_limit import RateLimited

P = ParamSpec("P")
Request = TypeVar("Request", bound=HttpRequest)
View = Callable[Concatenate[Request, P], HttpResponse]


def visitors_only(view: View[Request, P]) -> View[Request, P]:
    """Whoever is logged in has no use for the page and goes home."""

    @wraps(view)
    def wrapper(request: Request, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if request.user.is_authenticated:
            return redirect(settings.LOGIN_REDIRECT_URL)
        return view(request, *args, **kwargs)

    return wrapper


def patience_page(view: View[Request, P]) -> View[Request, P]:
    """Answers RateLimited with 429 and the time to wait."""

    @wraps(view)
    def wrapper(request: Request, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except RateLimited as limited:
            return too_many(request, limited.retry_after)

    return wrapper


def too_many(request: HttpRequest, retry_after: float) -> HttpResponse:
    response = render(
        request, "users/too_many.html", {"minutes": math.ceil(retry_after / 60)}, status=429
    )
    response.headers["Retry-After"] = str(math.ceil(retry_after))
    return response
