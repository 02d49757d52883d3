"""The e-mail address of an account: confirming it, and changing it."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from web.forms import RefusalsIn, form_page, posted

from ..decorators import MemberRequest, member_action
from ..login.mail_links import change_to_confirm
from . import addresses
from .forms import NewEmailForm


@login_required
@never_cache
@sensitive_post_parameters("password", "code")
def email(request: MemberRequest) -> HttpResponse:
    form = NewEmailForm(request.user, posted(request))
    if form.is_valid() and _asked(request, form):
        words = gettext("Check your new mailbox: the link in our mail makes the change.")
        messages.success(request, words)
        return redirect("email")
    change = addresses.change_of(request.user)
    return form_page(request, "users/email.html", form, change=change)


def _asked(request: MemberRequest, form: NewEmailForm) -> bool:
    wanted = form.cleaned_data["email"]
    with RefusalsIn(form):
        addresses.ask_for_change(user=request.user, email=wanted)
        return True
    return False


@member_action
def drop_change(request: MemberRequest) -> HttpResponse:
    addresses.drop_change(user=request.user)
    messages.success(request, gettext("Your address stays as it is."))
    return redirect("email")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def confirm_change(request: HttpRequest, token: str) -> HttpResponse:
    """A button, not the link itself: virus scanners follow the links in mails."""
    change = change_to_confirm(token)
    if change is None or (request.method == "POST" and not addresses.confirm_change(change=change)):
        return render(request, "users/confirm_email_change.html", status=400)
    if request.method != "POST":
        return render(request, "users/confirm_email_change.html", {"change": change})
    words = gettext("%(account)s now has the address %(email)s.")
    messages.success(request, words % {"account": change.user, "email": change.email})
    return redirect(settings.LOGIN_REDIRECT_URL)
