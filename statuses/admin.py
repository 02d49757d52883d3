"""Statuses in the admin: found and read. `moderation.admin` adds what moderators do with them.

Likes and bookmarks are nobody else's business, and not here.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString

from redistools.ids import first_id_at
from users.models import User
from web.sql.big_tables import BoundedPaginator, OwnFilters, link, number_in

from .models import Status

# Which languages are offered: those of this number of newest statuses.
LOOKED_AT = 1_000

Choices = Sequence[tuple[str, str]]


class LanguageFilter(admin.SimpleListFilter):
    title = parameter_name = "language"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:
        shown = model_admin.get_queryset(request).order_by("-id")
        newest = shown.values_list("language", flat=True)[:LOOKED_AT]
        return [(language, language) for language in sorted(set(newest) - {""})]

    def queryset(self, _request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Only known languages reach the query: PostgreSQL takes no text with a NUL in it."""
        language = (self.value() or "").replace("\0", "")
        return queryset.filter(language=language) if language else queryset


class AgeFilter(admin.SimpleListFilter):
    title, parameter_name = "date", "days"

    def lookups(self, _request: HttpRequest, _model_admin: Any) -> Choices:
        return [("1", "Past 24 hours"), ("7", "Past 7 days"), ("30", "Past 30 days")]

    def queryset(self, _request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() not in dict(self.lookup_choices):
            return queryset
        since = timezone.now() - timedelta(days=int(self.value() or 0))
        return queryset.filter(pk__gte=first_id_at(since))


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
class StatusAdmin(OwnFilters, admin.ModelAdmin[Status]):
    list_display = ("__str__", "kind", "author", "created_at", "language", "visibility", "page")
    list_filter = (AgeFilter, LanguageFilter, KindFilter, "visibility", "is_sensitive")
    list_select_related = ("author",)
    search_fields = ("author__username",)  # `get_search_results` says what is found
    search_help_text = "The whole name of the author, or the id of a post"
    ordering = ("-id",)
    show_full_result_count = False
    paginator = BoundedPaginator
    fields = (
        *("kind", "author", "text", "warning", "visibility", "is_sensitive", "language"),
        *("latitude", "longitude", "about", "created_at", "edited_at"),
        *("likes_count", "boosts_count", "replies_count"),
    )

    def get_search_results(
        self,
        request: HttpRequest,  # noqa: ARG002 - Django's
        queryset: QuerySet[Status],
        search_term: str,
    ) -> tuple[QuerySet[Status], bool]:
        """Searches only what has an index; the text has none."""
        term = search_term.strip().removeprefix("@")
        if not term:
            return queryset, False
        # Ids, not a subquery: beside an OR, that reads the whole table.
        authors = list(User.objects.named([term]).values_list("pk", flat=True))
        found = Q(author_id__in=authors)
        if number := number_in(term):
            found |= Q(pk=number)
        return queryset.filter(found), False

    @admin.display
    def kind(self, status: Status) -> str:
        if status.boost_of_id is not None:
            return "boost"
        return "post" if status.reply_to_id is None else "reply"

    @admin.display(description="Answers or boosts", empty_value="nothing")
    def about(self, status: Status) -> int | None:
        return status.counted_at

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's
        return False

    def has_change_permission(self, request: HttpRequest, obj: Status | None = None) -> bool:  # noqa: ARG002 - Django's
        """Nobody puts words into somebody else's mouth."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Status | None = None) -> bool:  # noqa: ARG002 - Django's
        """Moderators delete them, and say why."""
        return False

    @admin.display(description="On the site")
    def page(self, status: Status) -> SafeString:
        return link(self.view_on_site(status), status.pk)

    def view_on_site(self, obj: Status) -> str:
        return reverse("status", args=[obj.author.username, obj.pk])
