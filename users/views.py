"""Account pages. A form that comes back with complaints answers 400, one sent too often 429."""

from typing import Any

from django.contrib import messages
from django.contrib.auth import login, logout, update_session_auth_hash
from django.contrib.auth import views as auth_views
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from socialsite.next_page import next_page

from . import services, tasks, throttling
from .client_address import client_address
from .decorators import MemberRequest, patience_page, visitors_only
from .forms import (
    DeleteAccountForm,
    LoginForm,
    PasswordChangeForm,
    PasswordResetForm,
    ProfileForm,
    SignUpForm,
)
from .models import User


@visitors_only
@never_cache
@sensitive_post_parameters("password")
@patience_page
def sign_up(request: HttpRequest) -> HttpResponse:
    form = SignUpForm(_posted(request))
    if form.is_valid() and (user := _signed_up(request, form)):
        login(request, user)
        return redirect(next_page(request))
    return _form_page(request, "users/signup.html", form)


def _signed_up(request: HttpRequest, form: SignUpForm) -> User | None:
    """None where the service refuses; then the form says why."""
    try:
        with throttling.successful_sign_up(address=client_address(request)):
            return services.sign_up(**form.cleaned_data)
    except ValidationError as error:
        form.add_error(None, error)
        return None


@visitors_only
@never_cache
@sensitive_post_parameters("password")
@patience_page
def log_in(request: HttpRequest) -> HttpResponse:
    form = LoginForm(request, _posted(request))
    if form.is_valid():
        login(request, form.get_user())
        return redirect(next_page(request))
    return _form_page(request, "users/login.html", form)


@login_required
@patience_page
def change_profile(request: MemberRequest) -> HttpResponse:
    form = ProfileForm(_posted(request), instance=request.user)
    if form.is_valid():
        with throttling.saving_profile(user_id=request.user.pk):
            services.change_profile(user=request.user, **form.cleaned_data)
        messages.success(request, "Your profile is saved.")
        return redirect("settings")
    return _form_page(request, "users/settings.html", form)


@login_required
@sensitive_post_parameters()
@patience_page
def change_password(request: MemberRequest) -> HttpResponse:
    form = PasswordChangeForm(request.user, _posted(request))
    if form.is_valid():
        update_session_auth_hash(request, form.save())
        messages.success(request, "Your password is changed; other devices are logged out.")
        return redirect("settings")
    return _form_page(request, "users/password_change.html", form)


@login_required
@sensitive_post_parameters("password")
@patience_page
def delete_account(request: MemberRequest) -> HttpResponse:
    form = DeleteAccountForm(request.user, _posted(request))
    if form.is_valid():
        services.delete_account(user=request.user)
        logout(request)
        return redirect("account_deleted")
    return _form_page(request, "users/delete_account.html", form)


@never_cache
@patience_page
def reset_password(request: HttpRequest) -> HttpResponse:
    form = PasswordResetForm(_posted(request))
    if form.is_valid():
        email = form.cleaned_data["email"]
        throttling.count_reset_mail(mailbox=email, address=client_address(request))
        tasks.request_password_reset(email=email)
        return redirect("password_reset_done")
    return _form_page(request, "users/password_reset.html", form)


class PasswordResetConfirmView(auth_views.PasswordResetConfirmView):
    template_name = "users/password_reset_confirm.html"

    def get_form(self, form_class: Any = None) -> Any:
        form = super().get_form(form_class)
        form.fields["new_password1"].widget.attrs["autofocus"] = True
        return form

    def render_to_response(self, context: dict[str, Any], **kwargs: Any) -> HttpResponse:
        """A used or broken link has no form; it is bad input like a password that is refused."""
        form = context["form"]
        bad_input = form is None or form.is_bound
        return super().render_to_response(context, status=400 if bad_input else 200, **kwargs)


def _posted(request: HttpRequest) -> QueryDict | None:
    return request.POST if request.method == "POST" else None


def _form_page(request: HttpRequest, template: str, form: BaseForm) -> HttpResponse:
    return render(request, template, {"form": form}, status=400 if form.is_bound else 200)
