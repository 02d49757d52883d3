"""Follows in the admin."""

from django.contrib import admin
from django.http import HttpRequest

from .models import Follow


@admin.register(Follow)
class FollowAdmin(admin.ModelAdmin[Follow]):
    """Read-only: following is up to the two users."""

    list_display = ("follower", "followee", "created_at")
    list_select_related = ("follower", "followee")
    search_fields = ("=follower__username", "=followee__username")
    ordering = ("-id",)
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's
        return False

    def has_change_permission(self, request: HttpRequest, obj: Follow | None = None) -> bool:  # noqa: ARG002 - Django's
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Follow | None = None) -> bool:  # noqa: ARG002 - Django's
        return False
