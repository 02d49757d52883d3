"""Statuses in the admin: found, read and deleted, through the same service as on the site."""

from collections.abc import Iterable

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest

from users.models import User
from web.big_tables import MOST_FOUND, BigTable

from . import services
from .models import Status


@admin.register(Status)
class StatusAdmin(BigTable, admin.ModelAdmin[Status]):
    list_display = ("__str__", "author", "created_at", "language")
    list_select_related = ("author",)
    search_fields = ("text",)
    search_help_text = "An author's username, or words in a new post"
    fields = ("author", "text", "language", "latitude", "longitude", "created_at")

    def find_by_index(self, term: str) -> Iterable[int]:
        authors = User.objects.named([term.removeprefix("@")])
        rows = Status.objects.filter(author_id__in=[author.pk for author in authors])
        return rows.newest_first().values_list("pk", flat=True)[:MOST_FOUND]

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
