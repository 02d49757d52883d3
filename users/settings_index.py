"""The ways to all settings, with what some of them are now."""

from typing import NamedTuple

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from .decorators import MemberRequest
from .login.session_rows import sessions_of
from .models import User
from .safety import second_factor


class Row(NamedTuple):
    page: str
    """The name of its URL."""

    icon: str
    label: str
    value: str = ""
    """How it is set now."""

    @property
    def address(self) -> str:
        return reverse(self.page)


class Group(NamedTuple):
    name: str
    title: str
    rows: list[Row]


@login_required
@never_cache
@require_safe
def settings_index(request: MemberRequest) -> HttpResponse:
    return render(request, "users/settings.html", {"groups": _groups(request.user)})


def _groups(user: User) -> list[Group]:
    return [
        Group("account", gettext("Account"), _account(user)),
        Group("privacy", gettext("Privacy"), _privacy(user)),
        Group(
            "blocks_and_mutes",
            gettext("Muted and blocked"),
            [
                Row("muted", "volume-x", gettext("Muted accounts")),
                Row("muted_words", "type", gettext("Muted words")),
                Row("blocked", "ban", gettext("Blocked accounts")),
            ],
        ),
        Group("preferences", gettext("Preferences"), _preferences(user)),
        Group(
            "data",
            gettext("Your data"),
            [
                Row("tokens", "code", gettext("Access tokens")),
                Row("export", "download", gettext("Export")),
            ],
        ),
        Group(
            "site",
            settings.SITE_NAME,
            [
                Row("help", "circle-help", gettext("Help")),
                Row("about", "link", gettext("Rules, privacy and about this site")),
            ],
        ),
    ]


def _account(user: User) -> list[Row]:
    email = user.email if user.email_confirmed_at else gettext("Not confirmed yet")
    two_factor = gettext("On") if second_factor.is_on(user) else gettext("Off")
    return [
        Row("email", "mail", gettext("E-mail"), email),
        Row("password_change", "key-round", gettext("Password")),
        Row("two_factor", "shield", gettext("Two-factor log-in"), two_factor),
        Row("sessions", "smartphone", gettext("Devices"), str(sessions_of(user).count())),
    ]


def _privacy(user: User) -> list[Row]:
    audience = gettext("Private") if user.is_private else gettext("Public")
    return [
        Row("privacy", "lock", gettext("Who sees your posts"), audience),
        Row("follow_requests", "user-check", gettext("Follow requests")),
    ]


def _preferences(user: User) -> list[Row]:
    theme = user.get_theme_display()
    return [
        Row("appearance", "palette", gettext("Appearance and language"), theme),
        Row("notification_settings", "bell", gettext("Notifications")),
    ]
