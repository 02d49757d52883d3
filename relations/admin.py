"""Follows in the admin."""

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from users.models import User
from web.sql.big_tables import BoundedPaginator, OwnFilters

from .models import Follow


@admin.register(Follow)
class FollowAdmin(OwnFilters, admin.ModelAdmin[Follow]):
    list_display = ("follower", "followee", "created_at")
    list_select_related = ("follower", "followee")
    search_fields = ("follower__username",)  # `get_search_results` says what is found
    search_help_text = "The whole username of one of the two"
    ordering = ("-id",)
    show_full_result_count = False
    paginator = BoundedPaginator

    def get_search_results(
        self,
        request: HttpRequest,  # noqa: ARG002 - Django's
        queryset: QuerySet[Follow],
        search_term: str,
    ) -> tuple[QuerySet[Follow], bool]:
        """Searches only what has an index."""
        term = search_term.strip().removeprefix("@")
        if not term:
            return queryset, False
        named = list(User.objects.named([term]).values_list("pk", flat=True))
        return queryset.filter(Q(follower__in=named) | Q(followee__in=named)), False

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's
        return False

    def has_change_permission(self, request: HttpRequest, obj: Follow | None = None) -> bool:  # noqa: ARG002 - Django's
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Follow | None = None) -> bool:  # noqa: ARG002 - Django's
        return False
