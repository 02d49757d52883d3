"""Logging in, step by step, and out again."""

from collections.abc import Callable
from functools import wraps

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from web.forms import form_page, posted

from .. import services
from ..decorators import visitors_only
from ..forms import LoginForm
from ..models import User
from ..safety.forms import CodeForm
from . import steps
from .devices import known_device
from .refusing import suspended_page
from .steps import Pending

Step = Callable[[HttpRequest, User, Pending], HttpResponse]


@visitors_only
@never_cache
@sensitive_post_parameters("password")
def log_in(request: HttpRequest) -> HttpResponse:
    form = LoginForm(request, posted(request))
    if form.is_valid():
        return steps.after_password(request, form.get_user())
    if account := form.suspended_account:
        return suspended_page(request, account)
    return form_page(request, "users/login.html", form)


def after_password(view: Step) -> Callable[[HttpRequest], HttpResponse]:
    """For somebody who has just given the right password; everybody else begins again."""

    @visitors_only
    @never_cache
    @wraps(view)
    def wrapper(request: HttpRequest) -> HttpResponse:
        pending = steps.pending_in(request)
        user = pending.user() if pending else None
        if pending is None or user is None:
            messages.warning(request, gettext("This took too long. Log in again."))
            return redirect("login")
        return view(request, user, pending)

    return wrapper


@after_password
def give_code(request: HttpRequest, user: User, pending: Pending) -> HttpResponse:
    form = CodeForm(user, posted(request), device=known_device(request, user.username))
    if form.is_valid():
        return steps.after_code(request, user, pending)
    return form_page(request, "users/login_code.html", form)


@after_password
def keep_account(request: HttpRequest, user: User, pending: Pending) -> HttpResponse:
    if pending.needs_code(user):
        return redirect("login_code")
    if request.method != "POST":
        return render(request, "users/keep_account.html", {"account": user})
    services.keep_account(user=user)
    messages.success(request, gettext("Welcome back. Everything is where it was."))
    return steps.finish(request, user, pending)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def log_out(request: HttpRequest) -> HttpResponse:
    """A GET only asks: any page can link here."""
    if request.method != "POST" and request.user.is_authenticated:
        return render(request, "users/logout.html")
    logout(request)
    return redirect(settings.LOGOUT_REDIRECT_URL)
