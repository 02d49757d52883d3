from collections.abc import Callable

from django.http import HttpResponseBase
from django.urls import path
from django.views.generic import TemplateView

from . import views


def still_page(template: str) -> Callable[..., HttpResponseBase]:
    return TemplateView.as_view(template_name=f"users/{template}.html")


urlpatterns = [
    path("signup/", views.sign_up, name="signup"),
    path("login/", views.log_in, name="login"),
    path("logout/", views.log_out, name="logout"),
    path("settings/", views.change_profile, name="settings"),
    path("settings/privacy/", views.change_privacy, name="privacy"),
    path("settings/confirm/", views.send_confirmation, name="send_confirmation"),
    path("confirm/<token>/", views.confirm_email, name="confirm_email"),
    path("settings/password/", views.change_password, name="password_change"),
    path("settings/delete/", views.delete_account, name="delete_account"),
    path("settings/delete/done/", still_page("account_deleted"), name="account_deleted"),
    path("password-reset/", views.reset_password, name="password_reset"),
    path("password-reset/sent/", still_page("password_reset_done"), name="password_reset_done"),
    path(
        "password-reset/<uidb64>/<token>/",
        views.PasswordResetConfirmView.as_view(),
        name="password_reset_confirm",
    ),
    path(
        "password-reset/done/",
        still_page("password_reset_complete"),
        name="password_reset_complete",
    ),
]
