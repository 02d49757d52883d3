from contextlib import suppress

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from users import services as users
from users.decorators import visitors_only
from users.forms import SignUpForm
from users.login.steps import enter
from users.models import User
from users.views import language_to_keep
from web.client_address import client_address
from web.forms import RefusalsIn, form_page, posted
from web.refusals import Refusal

from .first_administrator import NoLongerOpen, is_open_to, sign_up_first


@visitors_only
@never_cache
@sensitive_post_parameters("password")
def first_administrator(request: HttpRequest) -> HttpResponse:
    """The token stays in the query: paths are logged, also ours with a form that is refused."""
    if not is_open_to(_token(request)):
        return _closed(request)
    form = SignUpForm(posted(request))
    if form.is_valid() and (user := _signed_up(request, form)):
        with suppress(Refusal):  # the account exists; they can ask for the mail later
            users.ask_to_confirm(user=user)
        return enter(request, user, reverse("welcome"))
    return form_page(request, "staff/first_administrator.html", form)


def _signed_up(request: HttpRequest, form: SignUpForm) -> User | None:
    where = {"language": language_to_keep(), "address": client_address(request)}
    with RefusalsIn(form):
        return sign_up_first(token=_token(request), **form.cleaned_data, **where)
    return None


def _token(request: HttpRequest) -> str:
    return request.GET.get("token", "")


def _closed(request: HttpRequest) -> HttpResponse:
    """Who comes a moment too late has no account yet: the way to an ordinary one is there."""
    reason = NoLongerOpen().words
    return render(request, "staff/no_first_administrator.html", {"reason": reason}, status=400)
