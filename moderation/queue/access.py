"""Who enters the pages of moderators: one decorator for all of them."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib import admin
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse

from users.decorators import MemberRequest

P = ParamSpec("P")


def moderators_only(
    view: Callable[Concatenate[MemberRequest, P], HttpResponse],
) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """Whoever may look at reports. To decide takes another right, which each service asks for.

    The door is that of the admin, with its conditions, such as a second factor.
    """

    @wraps(view)
    def wrapper(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        if not request.user.has_perm("moderation.view_report"):
            raise Http404("This page is for moderators.")
        if not admin.site.has_permission(request):
            return admin.site.login(request)  # says what is missing
        return view(request, *args, **kwargs)  # type: ignore[arg-type] # a member's, see above

    return wrapper


def may_decide(request: HttpRequest) -> bool:
    return request.user.has_perm("moderation.change_report")
