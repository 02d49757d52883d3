"""Account pages. A refused form answers 400, one that is sent too often 429."""

from contextlib import suppress
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout, update_session_auth_hash
from django.contrib.auth import views as auth_views
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.formats import date_format
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from configuration.current import site
from configuration.site import SignUp
from web.client_address import client_address
from web.forms import RefusalsIn, form_page, posted
from web.languages import CODES, language_of, remember_language
from web.next_page import is_from_here, next_page
from web.refusals import Refusal, marked, wants_json
from web.uploads import takes_files

from . import services
from .decorators import MemberRequest, member_action, viewer_of, visitors_only
from .forms import (
    AppearanceForm,
    PasswordResetForm,
    PrivacyForm,
    ProfileForm,
    SignUpForm,
    say_again,
)
from .invitations.services import refuse_sign_up
from .login.devices import remember_device
from .login.mail_links import account_to_confirm, reset_tokens
from .login.steps import enter
from .models import User
from .safety.forms import PasswordChangeForm, ProofForm


@visitors_only
@never_cache
@sensitive_post_parameters("password")
def sign_up(request: HttpRequest) -> HttpResponse:
    invitation = request.GET.get("invitation", "")
    try:
        refuse_sign_up(invitation)
    except Refusal as refusal:
        return _no_sign_up(request, refusal)
    form = SignUpForm(posted(request))
    if form.is_valid() and (user := _signed_up(request, form, invitation)):
        with suppress(Refusal):  # the account exists; they can ask for the mail later
            services.ask_to_confirm(user=user)
        return enter(request, user, next_page(request, default=reverse("welcome")))
    return form_page(request, "users/signup.html", form)


def _signed_up(request: HttpRequest, form: SignUpForm, invitation: str) -> User | None:
    where = {"language": language_to_keep(), "address": client_address(request)}
    with RefusalsIn(form):
        return services.sign_up(**form.cleaned_data, **where, invitation=invitation)
    return None


def _no_sign_up(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    if wants_json(request):
        raise refusal
    now = site()
    context = {
        "words": refusal.words,
        "contact": now.contact,
        "needs_invitation": now.sign_up == SignUp.INVITED,
    }
    return marked(render(request, "users/no_sign_up.html", context), refusal)


def language_to_keep() -> str:
    """Mails have no browser to ask: they come in the language of the sign-up."""
    language = translation.get_language() or ""
    return "" if language == settings.LANGUAGE_CODE else language


@takes_files
@login_required
def change_profile(request: MemberRequest) -> HttpResponse:
    form = ProfileForm(posted(request), request.FILES or None, instance=request.user)
    if form.is_valid():
        services.change_profile(user=request.user, **form.profile)
        messages.success(request, gettext("Your profile is saved."))
        return redirect("edit_profile")
    return form_page(request, "users/edit_profile.html", form)


@login_required
def change_privacy(request: MemberRequest) -> HttpResponse:
    form = PrivacyForm(request.POST) if request.method == "POST" else PrivacyForm.of(request.user)
    if form.is_valid():
        services.change_privacy(user=request.user, **form.cleaned_data)
        messages.success(request, gettext("Your privacy settings are saved."))
        return redirect("privacy")
    return form_page(request, "users/privacy.html", form)


@login_required
def change_appearance(request: MemberRequest) -> HttpResponse:
    form = AppearanceForm.of(request.user, posted(request))
    if form.is_valid():
        services.change_appearance(user=request.user, **form.cleaned_data)
        with translation.override(request.user.language or language_of(request)):
            messages.success(request, gettext("Your choice is saved."))
        return redirect("appearance")
    return form_page(request, "users/appearance.html", form)


@csrf_exempt
@require_POST
def choose_language(request: HttpRequest) -> HttpResponse:
    """Without a token, whose cookie would keep visitors' pages out of shared caches: we look at
    where the form was sent from.
    """
    language = request.POST.get("language", "")
    if not is_from_here(request) or language not in CODES:
        raise Refusal(gettext("This site doesn't have that language."), code="language")
    if viewer := viewer_of(request):
        services.change_appearance(user=viewer, language=language, theme=viewer.theme)
    response = redirect(next_page(request))
    remember_language(response, language)
    return response


@login_required
@sensitive_post_parameters()
def change_password(request: MemberRequest) -> HttpResponse:
    form = PasswordChangeForm(request.user, posted(request))
    if form.is_valid():
        services.change_password(user=request.user, password=form.cleaned_data["new_password1"])
        update_session_auth_hash(request, request.user)
        messages.success(
            request,
            gettext(
                "Your password is changed; other devices are logged out, access tokens revoked."
            ),
        )
        response = redirect("settings")
        remember_device(response, request.user)
        return response
    return form_page(request, "users/password_change.html", form)


@login_required
@sensitive_post_parameters("password", "code")
def delete_account(request: MemberRequest) -> HttpResponse:
    form = ProofForm(request.user, posted(request))
    if form.is_valid():
        until = services.request_deletion(user=request.user)
        logout(request)
        if until is None:
            return redirect("account_deleted")
        words = gettext("Your account will be deleted on %(date)s.")
        messages.success(request, words % {"date": date_format(until)})
        return redirect("account_leaving")
    days = settings.DELETION_GRACE_DAYS
    return form_page(request, "users/delete_account.html", form, days=days)


@member_action
def send_confirmation(request: MemberRequest) -> HttpResponse:
    services.ask_to_confirm(user=request.user)
    words = gettext("A mail to %(email)s is on its way.")
    messages.success(request, words % {"email": request.user.email})
    return redirect(next_page(request, default=reverse("email")))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def confirm_email(request: HttpRequest, token: str) -> HttpResponse:
    """A button, not the link itself: virus scanners follow the links in mails."""
    account = account_to_confirm(token)
    if account is None or request.method != "POST":
        code = 200 if account else 400
        return render(request, "users/confirm_email.html", {"account": account}, status=code)
    services.confirm_email(user=account)
    words = gettext("The e-mail address of %(account)s is confirmed.")
    messages.success(request, words % {"account": account})
    return redirect(settings.LOGIN_REDIRECT_URL)


@never_cache
def reset_password(request: HttpRequest) -> HttpResponse:
    form = PasswordResetForm(posted(request))
    if form.is_valid():
        email = form.cleaned_data["email"]
        services.request_password_reset(email=email, address=client_address(request))
        return redirect("password_reset_done")
    return form_page(request, "users/password_reset.html", form)


class PasswordResetConfirmView(auth_views.PasswordResetConfirmView):
    template_name = "users/password_reset_confirm.html"
    token_generator = reset_tokens

    def form_valid(self, form: Any) -> HttpResponse:
        services.confirm_email(user=form.user)
        return super().form_valid(form)

    def get_form(self, form_class: Any = None) -> Any:
        form = super().get_form(form_class)
        form.fields["new_password1"].widget.attrs["autofocus"] = True
        say_again(form)
        return form

    def render_to_response(self, context: dict[str, Any], **kwargs: Any) -> HttpResponse:
        """A used or broken link has no form; it is bad input, like a refused password."""
        form = context["form"]
        bad_input = form is None or form.is_bound
        return super().render_to_response(context, status=400 if bad_input else 200, **kwargs)
