"""Follows in the admin."""

from collections.abc import Iterable

from django.contrib import admin
from django.http import HttpRequest

from users.models import User
from web.big_tables import MOST_FOUND, BigTable

from .models import Follow


@admin.register(Follow)
class FollowAdmin(BigTable, admin.ModelAdmin[Follow]):
    """Read-only: following is up to the two users."""

    list_display = ("follower", "followee", "created_at")
    list_select_related = ("follower", "followee")
    search_fields = ("=follower__username", "=followee__username")
    search_help_text = "The username of one of the two"
    searches_newest = False

    def find_by_index(self, term: str) -> Iterable[int]:
        for user in User.objects.named([term.removeprefix("@")]):
            for follows in (user.follows_made, user.follows_got):
                yield from follows.order_by("-pk").values_list("pk", flat=True)[:MOST_FOUND]

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's
        return False

    def has_change_permission(self, request: HttpRequest, obj: Follow | None = None) -> bool:  # noqa: ARG002 - Django's
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Follow | None = None) -> bool:  # noqa: ARG002 - Django's
        return False
