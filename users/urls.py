from collections.abc import Callable

from django.http import HttpResponseBase
from django.urls import include, path
from django.views.generic import TemplateView

from . import views
from .export import views as export_views
from .login import views as login_views
from .settings_index import settings_index


def static_page(template: str) -> Callable[..., HttpResponseBase]:
    return TemplateView.as_view(template_name=f"users/{template}.html")


reset_confirm = views.PasswordResetConfirmView.as_view()

urlpatterns = [
    path("signup/", views.sign_up, name="signup"),
    path("login/", login_views.log_in, name="login"),
    path("login/code/", login_views.give_code, name="login_code"),
    path("login/keep/", login_views.keep_account, name="keep_account"),
    path("logout/", login_views.log_out, name="logout"),
    path("", include("users.safety.urls")),
    path("settings/", settings_index, name="settings"),
    path("settings/profile/", views.change_profile, name="edit_profile"),
    path("settings/privacy/", views.change_privacy, name="privacy"),
    path("settings/appearance/", views.change_appearance, name="appearance"),
    path("language/", views.choose_language, name="choose_language"),
    path("settings/export/", export_views.export, name="export"),
    path("settings/export/download/", export_views.download, name="download_export"),
    path("settings/confirm/", views.send_confirmation, name="send_confirmation"),
    path("confirm/<token>/", views.confirm_email, name="confirm_email"),
    path("settings/password/", views.change_password, name="password_change"),
    path("settings/delete/", views.delete_account, name="delete_account"),
    path("settings/delete/done/", static_page("account_deleted"), name="account_deleted"),
    path("settings/delete/begun/", static_page("account_leaving"), name="account_leaving"),
    path("password-reset/", views.reset_password, name="password_reset"),
    path("password-reset/sent/", static_page("password_reset_done"), name="password_reset_done"),
    path("password-reset/<uidb64>/<token>/", reset_confirm, name="password_reset_confirm"),
    path(
        "password-reset/done/",
        static_page("password_reset_complete"),
        name="password_reset_complete",
    ),
]
