"""Lists in the admin: read, and deleted through the same service as on the site."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from web.sql.big_tables import OwnFilters

from . import services
from .models import List


@admin.register(List)
class ListAdmin(OwnFilters, admin.ModelAdmin[List]):
    list_display = ("name", "owner", "is_private", "created_at")
    list_filter = ("is_private",)
    list_select_related = ("owner",)
    search_fields = ("name", "owner__username")
    ordering = ("-id",)
    fields = ("owner", "name", "is_private", "created_at")

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's
        return False

    def has_change_permission(self, request: HttpRequest, obj: List | None = None) -> bool:  # noqa: ARG002 - Django's
        return False

    def delete_model(self, request: HttpRequest, obj: List) -> None:  # noqa: ARG002 - Django's
        services.delete_list(list_=obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[List]) -> None:
        for list_ in queryset:
            self.delete_model(request, list_)
