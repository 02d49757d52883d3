"""The admin: who may enter it, and that every change in it is logged."""

from typing import TYPE_CHECKING, Any, cast

from django.contrib import admin
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext

from users.login.steps import SECOND_FACTOR
from users.login.views import log_out
from users.safety import second_factor
from web.admin.completion import complete
from web.admin.words import in_our_order
from web.refusals import Refusal

from .logged import Logged
from .roles import may_only_look

if TYPE_CHECKING:
    from users.models import User

READING = ("GET", "HEAD")


class Site(admin.AdminSite):
    def register(self, model_or_iterable: Any, admin_class: Any = None, **options: Any) -> None:
        """Whoever registers pages, an app of ours or a library: their changes are logged."""
        pages = admin_class or admin.ModelAdmin
        if not issubclass(pages, Logged):
            pages = type(pages.__name__, (Logged, pages), {"__module__": pages.__module__})
        super().register(model_or_iterable, pages, **options)

    def has_permission(self, request: HttpRequest) -> bool:
        """Staff; those with a second factor only in a session that was opened with it. Raises
        Refusal if somebody who may only look sends a form.
        """
        user = cast("User", request.user)
        if not (user.is_active and user.is_staff) or user.lacks_second_factor:
            return False
        if not request.session.get(SECOND_FACTOR) and second_factor.is_on(user):
            return False
        if request.method not in READING and not _is_leaving(request) and may_only_look(user):
            raise Refusal(
                gettext("You may look at this, and change nothing."), code="role", status=403
            )
        return True

    def login(self, request: HttpRequest, extra_context: object = None) -> HttpResponse:  # noqa: ARG002 - Django's
        """The admin has no login of its own: only the site's is throttled."""
        user = request.user
        if not user.is_authenticated:
            return redirect_to_login(request.GET.get("next") or reverse("admin:index"))
        if not user.is_staff:
            raise Refusal(gettext("Only staff may enter the admin."), code="staff", status=403)
        if user.lacks_second_factor:
            return redirect("two_factor")
        if self.has_permission(request):
            return redirect("admin:index")
        words = gettext("Log out, and in again with a code: you use two-factor log-in.")
        raise Refusal(words, code="second_factor", status=403)

    def password_change(self, request: HttpRequest, extra_context: object = None) -> Any:  # noqa: ARG002 - Django's
        """The site's own page is throttled: nobody at an open session can guess the password."""
        return redirect("password_change")

    def logout(self, request: HttpRequest, extra_context: object = None) -> Any:  # noqa: ARG002 - Django's
        return log_out(request)

    def autocomplete_view(self, request: HttpRequest) -> HttpResponse:
        return cast("HttpResponse", complete(request))

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        return in_our_order(super().get_app_list(request, app_label))


def _is_leaving(request: HttpRequest) -> bool:
    return request.path == reverse("admin:logout")
