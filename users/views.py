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
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from redistools.rate_limit import RateLimited
from web.client_address import client_address
from web.forms import RefusalsIn, form_page, posted
from web.next_page import next_page

from . import services, tasks, throttling
from .decorators import MemberRequest, limited, member_action, patience_page, visitors_only
from .forms import PasswordChangeForm, PasswordResetForm, PrivacyForm, ProfileForm, SignUpForm
from .login.devices import remember_device
from .login.mail_links import account_to_confirm, reset_tokens
from .login.session_rows import sessions_of
from .login.steps import enter
from .models import User
from .safety import second_factor
from .safety.forms import ProofForm


@visitors_only
@never_cache
@sensitive_post_parameters("password")
@patience_page
def sign_up(request: HttpRequest) -> HttpResponse:
    form = SignUpForm(posted(request))
    if form.is_valid() and (user := _signed_up(request, form)):
        with suppress(RateLimited):  # the account exists; they can ask for the mail later
            _ask_to_confirm(user)
        return enter(request, user, next_page(request))
    return form_page(request, "users/signup.html", form)


def _signed_up(request: HttpRequest, form: SignUpForm) -> User | None:
    with RefusalsIn(form), throttling.successful_sign_up(address=client_address(request)):
        return services.sign_up(**form.cleaned_data)
    return None


@login_required
@patience_page
def change_profile(request: MemberRequest) -> HttpResponse:
    form = ProfileForm(posted(request), instance=request.user)
    if form.is_valid():
        with throttling.saving_profile(user_id=request.user.pk):
            services.change_profile(user=request.user, **form.cleaned_data)
        messages.success(request, "Your profile is saved.")
        return redirect("settings")
    return form_page(request, "users/settings.html", form)


@login_required
@limited("privacy")
def change_privacy(request: MemberRequest) -> HttpResponse:
    form = PrivacyForm(request.POST) if request.method == "POST" else PrivacyForm.of(request.user)
    if form.is_valid():
        services.change_privacy(user=request.user, **form.cleaned_data)
        messages.success(request, "Your privacy settings are saved.")
        return redirect("privacy")
    return form_page(request, "users/privacy.html", form)


@login_required
@sensitive_post_parameters()
@limited("password")
def change_password(request: MemberRequest) -> HttpResponse:
    form = PasswordChangeForm(request.user, posted(request))
    if form.is_valid():
        update_session_auth_hash(request, form.save())
        messages.success(
            request,
            "Your password is changed; other devices are logged out, access tokens revoked.",
        )
        response = redirect("settings")
        remember_device(response, form.user)
        return response
    return form_page(request, "users/password_change.html", form)


@login_required
@never_cache
@require_safe
def account(request: MemberRequest) -> HttpResponse:
    """What the other settings say, on one page."""
    context = {
        "two_factor": second_factor.is_on(request.user),
        "sessions": sessions_of(request.user).count(),
    }
    return render(request, "users/account.html", context)


@login_required
@sensitive_post_parameters("password", "code")
@patience_page
def delete_account(request: MemberRequest) -> HttpResponse:
    form = ProofForm(request.user, posted(request))
    if form.is_valid():
        until = services.request_deletion(user=request.user)
        logout(request)
        if until is None:
            return redirect("account_deleted")
        messages.success(request, f"Your account will be deleted on {until:%-d %B %Y}.")
        return redirect("account_leaving")
    days = settings.DELETION_GRACE_DAYS
    return form_page(request, "users/delete_account.html", form, days=days)


@member_action
@patience_page
def send_confirmation(request: MemberRequest) -> HttpResponse:
    _ask_to_confirm(request.user)
    messages.success(request, f"A mail to {request.user.email} is on its way.")
    return redirect(next_page(request, default=reverse("email")))


def _ask_to_confirm(user: User) -> None:
    throttling.count_confirmation_mail(mailbox=user.email)
    tasks.mail_confirmation.enqueue(user.pk)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def confirm_email(request: HttpRequest, token: str) -> HttpResponse:
    """A button, not the link itself: virus scanners follow the links in mails."""
    account = account_to_confirm(token)
    if account is None or request.method != "POST":
        code = 200 if account else 400
        return render(request, "users/confirm_email.html", {"account": account}, status=code)
    services.confirm_email(user=account)
    messages.success(request, f"The e-mail address of {account} is confirmed.")
    return redirect(settings.LOGIN_REDIRECT_URL)


@never_cache
@patience_page
def reset_password(request: HttpRequest) -> HttpResponse:
    form = PasswordResetForm(posted(request))
    if form.is_valid():
        email = form.cleaned_data["email"]
        throttling.count_reset_mail(mailbox=email, address=client_address(request))
        tasks.request_password_reset(email=email)
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
        return form

    def render_to_response(self, context: dict[str, Any], **kwargs: Any) -> HttpResponse:
        """A used or broken link has no form; it is bad input, like a refused password."""
        form = context["form"]
        bad_input = form is None or form.is_bound
        return super().render_to_response(context, status=400 if bad_input else 200, **kwargs)
