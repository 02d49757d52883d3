"""Tokens in the admin: who has which, and revoking them.

The library's own pages, which let staff edit checksums and secrets, are taken out.
"""

from datetime import date

from django.contrib import admin
from django.utils.translation import gettext_lazy as _
from oauth2_provider import admin as libraries_own  # noqa: F401 - registers what we take out
from oauth2_provider.models import AccessToken, Application, Grant, IDToken, RefreshToken

from users.admin.finding import by_account
from users.models import User
from web.admin.leads import lead
from web.admin.page import AdminPage

from .tokens import last_use, revoke_token

admin.site.unregister([AccessToken, Application, Grant, IDToken, RefreshToken])


@admin.register(AccessToken)
class AccessTokenAdmin(AdminPage[AccessToken]):
    """Nothing of the token itself is shown. Deleting one revokes it."""

    words = _("access token"), _("access tokens")
    allows = ("delete",)
    list_display = ("application", "user", "scope", "created", "expires", "used_on")
    list_select_related = ("use",)
    finds = (by_account("user"),)
    search_help_text = _("The whole name of an account")
    fields = ("application", "user", "scope", "created", "expires", "used_on")

    @admin.display(description=_("last used"))
    def used_on(self, token: AccessToken) -> date | None:
        return last_use(token)

    def remove(self, row: AccessToken) -> None:
        revoke_token(token=row)


lead(User, to=AccessToken, query=lambda user: {"q": user.username})
