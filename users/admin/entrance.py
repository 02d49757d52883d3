"""Who may enter the admin, and its pages that the site has already: log-in, log-out, password."""

from typing import TYPE_CHECKING, cast

from django.contrib import admin
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext

from web.admin.completion import complete
from web.admin.words import in_our_order
from web.refusals import Refusal

from ..login.steps import SECOND_FACTOR
from ..login.views import log_out
from ..safety import second_factor

if TYPE_CHECKING:
    from ..models import User


def may_enter(request: HttpRequest) -> bool:
    """Staff; those with a second factor only in a session that was opened with it."""
    user = cast("User", request.user)
    if not (user.is_active and user.is_staff):
        return False
    return bool(request.session.get(SECOND_FACTOR)) or not second_factor.is_on(user)


def log_in_on_the_site(request: HttpRequest) -> HttpResponse:
    """The admin has no login of its own: only the site's is throttled."""
    if admin.site.has_permission(request):
        return redirect("admin:index")
    if request.user.is_authenticated and request.user.is_staff:
        words = gettext("Log out, and in again with a code: you use two-factor log-in.")
        raise Refusal(words, code="second_factor", status=403)
    if request.user.is_authenticated:
        raise Refusal(gettext("Only staff may enter the admin."), code="staff", status=403)
    return redirect_to_login(request.GET.get("next") or reverse("admin:index"))


def change_password_on_the_site(_request: HttpRequest) -> HttpResponse:
    """The site's own page is throttled: nobody at an open session can guess the password there."""
    return redirect("password_change")


def log_out_of_the_site(request: HttpRequest) -> HttpResponse:
    return log_out(request)


# A site class of our own, for these views, would have to be wired through INSTALLED_APPS.
admin.site.has_permission = may_enter  # type: ignore[method-assign] # on purpose, see above
admin.site.login = log_in_on_the_site  # type: ignore[method-assign, assignment] # on purpose, see above
admin.site.get_app_list = in_our_order  # type: ignore[method-assign] # as above
admin.site.autocomplete_view = complete  # type: ignore[method-assign, assignment] # as above
admin.site.logout = log_out_of_the_site  # type: ignore[method-assign, assignment] # as above
admin.site.password_change = change_password_on_the_site  # type: ignore[method-assign, assignment] # as above
