"""Statuses in the admin: found, read and deleted, through the same service as on the site.

Likes and bookmarks are nobody else's business, and not here.
"""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest

from users.models import User

from . import services
from .models import Status


class KindFilter(admin.SimpleListFilter):
    title = "kind"
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:  # noqa: ARG002 - Django's
        return [("post", "Posts"), ("reply", "Replies"), ("boost", "Boosts")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Status]) -> QuerySet[Status]:  # noqa: ARG002 - Django's
        match self.value():
            case "post":
                return queryset.filter(reply_to__isnull=True, boost_of__isnull=True)
            case "reply":
                return queryset.filter(reply_to__isnull=False)
            case "boost":
                return queryset.filter(boost_of__isnull=False)
        return queryset


@admin.register(Status)
class StatusAdmin(admin.ModelAdmin[Status]):
    list_display = ("__str__", "kind", "author", "created_at", "language")
    list_filter = (KindFilter,)
    list_select_related = ("author",)
    search_fields = ("text", "author__username")
    search_help_text = "Part of the text or of the author's name"
    ordering = ("-id",)
    show_full_result_count = False
    fields = (
        *("kind", "author", "text", "warning", "language", "latitude", "longitude"),
        *("about", "created_at", "edited_at", "likes_count", "boosts_count", "replies_count"),
    )

    @admin.display
    def kind(self, status: Status) -> str:
        if status.boost_of_id is not None:
            return "boost"
        return "post" if status.reply_to_id is None else "reply"

    @admin.display(description="Answers or boosts", empty_value="nothing")
    def about(self, status: Status) -> int | None:
        """Only its id: it may be gone."""
        return status.counted_at

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's
        return False

    def has_change_permission(self, request: HttpRequest, obj: Status | None = None) -> bool:  # noqa: ARG002 - Django's
        """Nobody puts words into somebody else's mouth."""
        return False

    def delete_model(self, request: HttpRequest, obj: Status) -> None:
        if not isinstance(request.user, User):
            raise PermissionDenied
        services.delete_status(status=obj, by=request.user)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Status]) -> None:
        for status in queryset:
            self.delete_model(request, status)
