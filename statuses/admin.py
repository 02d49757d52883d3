"""Statuses in the admin: found, read and deleted, through the same service as on the site."""

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest

from users.models import User

from . import services
from .models import Status


@admin.register(Status)
class StatusAdmin(admin.ModelAdmin[Status]):
    list_display = ("__str__", "author", "created_at", "language")
    list_select_related = ("author",)
    search_fields = ("text", "author__username")
    search_help_text = "Part of the text or of the author's name"
    ordering = ("-id",)
    show_full_result_count = False
    fields = ("author", "text", "language", "latitude", "longitude", "created_at")

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
