from typing import NamedTuple

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from configuration import current

from .decorators import MemberRequest
from .login.session_rows import sessions_of
from .models import User
from .safety import second_factor


class SettingsRow(NamedTuple):
    page: str  # the name of its URL
    icon: str
    label: str
    value: str = ""  # how it is set now

    @property
    def address(self) -> str:
        return reverse(self.page)


class SettingsGroup(NamedTuple):
    name: str
    title: str
    rows: list[SettingsRow]


@login_required
@never_cache
@require_safe
def settings_index(request: MemberRequest) -> HttpResponse:
    return render(request, "users/settings.html", {"groups": _groups(request.user)})


def _groups(user: User) -> list[SettingsGroup]:
    blocks_and_mutes = [
        SettingsRow("muted", "volume-x", gettext("Muted accounts")),
        SettingsRow("muted_words", "type", gettext("Muted words")),
        SettingsRow("blocked", "ban", gettext("Blocked accounts")),
    ]
    data = [
        SettingsRow("tokens", "code", gettext("Access tokens")),
        SettingsRow("export", "download", gettext("Export")),
    ]
    site = [
        SettingsRow("help", "circle-help", gettext("Help")),
        SettingsRow("about", "link", gettext("Rules, privacy and about this site")),
    ]
    return [
        SettingsGroup("account", gettext("Account"), _account(user)),
        SettingsGroup("privacy", gettext("Privacy"), _privacy(user)),
        SettingsGroup("blocks_and_mutes", gettext("Muted and blocked"), blocks_and_mutes),
        SettingsGroup("preferences", gettext("Preferences"), _preferences(user)),
        SettingsGroup("data", gettext("Your data"), data),
        SettingsGroup("site", current.site().name, site),
    ]


def _account(user: User) -> list[SettingsRow]:
    email = user.email if user.email_confirmed_at else gettext("Not confirmed yet")
    two_factor = gettext("On") if second_factor.is_on(user) else gettext("Off")
    return [
        SettingsRow("email", "mail", gettext("E-mail"), email),
        SettingsRow("password_change", "key-round", gettext("Password")),
        SettingsRow("two_factor", "shield", gettext("Two-factor log-in"), two_factor),
        SettingsRow("sessions", "smartphone", gettext("Devices"), str(sessions_of(user).count())),
    ]


def _privacy(user: User) -> list[SettingsRow]:
    audience = gettext("Private") if user.is_private else gettext("Public")
    return [
        SettingsRow("privacy", "lock", gettext("Who sees your posts"), audience),
        SettingsRow("follow_requests", "user-check", gettext("Follow requests")),
        SettingsRow("chat_preferences", "mail", gettext("Who can write to you")),
    ]


def _preferences(user: User) -> list[SettingsRow]:
    theme = user.get_theme_display()
    return [
        SettingsRow("appearance", "palette", gettext("Appearance and language"), theme),
        SettingsRow("notification_settings", "bell", gettext("Notifications")),
    ]
