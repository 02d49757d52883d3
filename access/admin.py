"""Tokens in the admin: who has which, and revoking them.

The library's own pages, which let staff edit checksums and secrets, are taken out.
"""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from oauth2_provider import admin as libraries_own  # noqa: F401 - registers what we take out
from oauth2_provider.models import AccessToken, Application, Grant, IDToken, RefreshToken

from web.sql.big_tables import OwnFilters

from .tokens import revoke_token

admin.site.unregister([AccessToken, Application, Grant, IDToken, RefreshToken])


@admin.register(AccessToken)
class AccessTokenAdmin(OwnFilters, admin.ModelAdmin[AccessToken]):
    """Nothing of the token itself is shown. Deleting one revokes it."""

    list_display = ("application", "user", "scope", "created", "expires")
    list_select_related = ("application", "user")
    search_fields = ("=user__username",)
    search_help_text = "The whole name of an account"
    ordering = ("-id",)
    fields = ("application", "user", "scope", "created", "expires")
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:  # noqa: ARG002 - Django's
        return False

    def delete_model(self, request: HttpRequest, obj: AccessToken) -> None:  # noqa: ARG002 - Django's
        revoke_token(token=obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[AccessToken]) -> None:
        for token in queryset:
            self.delete_model(request, token)
