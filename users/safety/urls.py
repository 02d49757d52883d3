from django.urls import path

from . import email_views, session_views, two_factor_views

urlpatterns = [
    path("settings/sessions/", session_views.sessions, name="sessions"),
    path("settings/sessions/<id:session_id>/end/", session_views.end_session, name="end_session"),
    path("settings/sessions/end-others/", session_views.end_others, name="end_other_sessions"),
    path("settings/sessions/notices/", session_views.login_notices, name="login_notices"),
    path("settings/email/", email_views.email, name="email"),
    path("settings/email/keep/", email_views.drop_change, name="drop_email_change"),
    path("confirm-change/<token>/", email_views.confirm_change, name="confirm_email_change"),
    path("settings/two-factor/", two_factor_views.two_factor, name="two_factor"),
    path("settings/two-factor/set-up/", two_factor_views.set_up, name="two_factor_set_up"),
    path("settings/two-factor/codes/", two_factor_views.new_codes, name="two_factor_codes"),
    path("settings/two-factor/off/", two_factor_views.turn_off, name="two_factor_off"),
]
