"""Who may see the figures: administrators, and others with the right to view days."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse

from users.decorators import MemberRequest

P = ParamSpec("P")

PERMISSION = "insight.view_day"


def may_read(request: HttpRequest) -> bool:
    """Also a door of the admin, with its conditions, such as a second factor."""
    return admin.site.has_permission(request) and request.user.has_perm(PERMISSION)


def for_readers_of_figures(
    view: Callable[Concatenate[MemberRequest, P], HttpResponse],
) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """A page of the admin that is about no row."""

    @wraps(view)
    def permitted(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if not request.user.has_perm(PERMISSION):
            raise PermissionDenied
        return view(request, *args, **kwargs)  # type: ignore[arg-type] # a member's, see above

    return admin.site.admin_view(permitted)
