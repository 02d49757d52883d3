"""Who sees a page, and what they see instead."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect
from django.urls import reverse

from web.next_page import next_page

from .models import User
from .selectors import account_or_404

P = ParamSpec("P")
Request = TypeVar("Request", bound=HttpRequest)
View = Callable[Concatenate[Request, P], HttpResponse]


class MemberRequest(HttpRequest):
    user: User


def viewer_of(request: HttpRequest) -> User | None:
    return request.user if request.user.is_authenticated else None


def visitors_only(view: View[Request, P]) -> View[Request, P]:
    """Members have no use for the page, and go on to where it would have led them."""

    @wraps(view)
    def wrapper(request: Request, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if request.user.is_authenticated:
            return redirect(next_page(request))
        return view(request, *args, **kwargs)

    return wrapper


def member_action(view: View[Request, P]) -> View[Request, P]:
    """For buttons, by POST. Visitors log in first and return to the page with the button: the
    action's own address would answer their browser with 405.
    """

    @wraps(view)
    def wrapper(request: Request, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        if not request.user.is_authenticated:
            return redirect_to_login(next_page(request))
        return view(request, *args, **kwargs)

    return wrapper


def of_account(
    view: Callable[Concatenate[Request, User, P], HttpResponse],
    *,
    find: Callable[[HttpRequest, str], User] = lambda _request, name: account_or_404(name),
) -> Callable[..., HttpResponse]:
    """Hands the account that the address names to the view; `find` raises 404 if there is none.

    Case does not matter in a name, but its pages have only one address.
    """

    @wraps(view)
    def wrapper(request: Request, username: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        account = find(request, username)
        if username != account.username and request.method in ("GET", "HEAD"):
            return redirect(_address_with(request, username=account.username), permanent=True)
        return view(request, account, *args, **kwargs)

    return wrapper


def _address_with(request: HttpRequest, **changes: str) -> str:
    match = request.resolver_match
    if match is None:
        raise ValueError(f"{request.path} matched no URL pattern")
    query = request.META.get("QUERY_STRING", "")
    address = reverse(match.view_name, kwargs=match.kwargs | changes)
    return f"{address}?{query}" if query else address
