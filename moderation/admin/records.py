"""Reports, which moderators close with a measure, and measures, which nobody changes."""

from typing import Any, cast

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString

from users.models import User
from web.sql.big_tables import BoundedPaginator, OwnFilters, link, number_in

from .. import evidence
from ..models import About, Kind, Measure, Report
from ..selectors import may_read, visible_measures, visible_reports
from .measuring import TakesMeasures


class Records(OwnFilters):
    show_full_result_count = False
    paginator = BoundedPaginator
    search_fields = ("username",)  # `get_search_results` says what is found
    search_help_text = "The whole name of an account, or the id of a post"

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002 - Django's
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002 - Django's
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:  # noqa: ARG002 - Django's
        return self.fields or ()

    def get_search_results(
        self,
        request: HttpRequest,  # noqa: ARG002 - Django's
        queryset: QuerySet[Any],
        search_term: str,
    ) -> tuple[QuerySet[Any], bool]:
        """Searches only what has an index."""
        term = search_term.strip().removeprefix("@")
        if not term:
            return queryset, False
        accounts = User.objects.named([term]).values("pk")
        about_status = Q(status=number_in(term), status__isnull=False)
        # Deleted accounts too, as they wrote their name.
        return queryset.filter(about_status | Q(account__in=accounts) | Q(username=term)), False

    @admin.display(description="About")
    def page(self, about: About) -> SafeString | str:
        """Links to the site while the account exists: later, somebody else may take its name."""
        if about.account is None:
            return f"{about.subject} (deleted account)"
        name = about.account.username
        if about.status_id:
            return link(reverse("status", args=[name, about.status_id]), about.subject)
        return link(reverse("profile", args=[name]), about.subject)

    @admin.display(description="Account")
    def account_page(self, about: About) -> SafeString | str:
        if about.account is None:
            return f"{about.author} (deleted)"
        return link(reverse("admin:users_user_change", args=[about.account.pk]), about.author)

    @admin.display(description="What it was then")
    def evidence_shown(self, about: About) -> SafeString:
        return render_to_string("admin/moderation/_evidence.html", {"evidence": about.evidence})


@admin.register(Report)
class ReportAdmin(Records, TakesMeasures):
    offers = tuple(Kind)
    list_display = (
        *("id", "is_open", "category", "page", "account_page", "reporter"),
        *("created_at", "closed_with"),
    )
    list_filter = ("is_open", "category", "created_at")
    list_select_related = ("account", "reporter", "closed_with")
    ordering = ("-is_open", "-id")
    fields = (
        *("is_open", "in_queue", "closed_with", "page", "account_page", "category", "words"),
        *("reporter", "created_at", "evidence_shown"),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Report]:
        return visible_reports(cast("User", request.user)).order_by(*self.ordering)

    @admin.display(description="In the queue", empty_value="no longer")
    def in_queue(self, report: Report) -> SafeString | None:
        if report.case_id is None:
            return None
        return link(reverse("moderation_case", args=[report.case_id]), f"case {report.case_id}")

    def status_id_of(self, chosen: Report) -> int | None:
        return chosen.status_id


@admin.register(Measure)
class MeasureAdmin(Records):
    list_display = ("id", "kind", "page", "account_page", "by_username", "reason", "created_at")
    list_filter = ("kind", "created_at")
    list_select_related = ("account",)
    ordering = ("-id",)
    fields = (
        *("kind", "page", "account_page", "by_username", "reason", "is_told", "report"),
        *("created_at", "read_at", "evidence_shown"),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Measure]:
        return visible_measures(cast("User", request.user)).order_by(*self.ordering)

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> Measure | None:
        """Hides the words of a post that the moderator may not read."""
        measure: Measure | None = super().get_object(request, object_id, from_field)
        if measure is not None and not may_read(cast("User", request.user), measure):
            measure.evidence = evidence.withheld(measure.evidence)
        return measure

    @admin.display(description="Warning read")
    def read_at(self, measure: Measure) -> Any:
        warning = getattr(measure, "warning", None)
        return warning.acknowledged_at if warning else None
