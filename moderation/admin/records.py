"""Reports, which moderators close with a measure, and measures, which nobody changes."""

from typing import Any, cast

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from statuses.models import Status
from users.admin.finding import by_account
from users.models import User
from web.admin.finding import by_number
from web.admin.leads import Link, lead
from web.admin.page import AdminPage
from web.admin.to_do import COUNTED, counted, to_do
from web.sql.big_tables import link

from .. import evidence
from ..appeals.selectors import open_appeals
from ..models import About, Kind, Measure, Report
from ..queue.selectors import open_count
from ..selectors import may_read, visible_measures, visible_reports
from .measuring import TakesMeasures, may_moderate


def by_post(term: str) -> Q:
    found = by_number("status")(term)
    return found & Q(status__isnull=False) if found else found


def by_former_name(term: str) -> Q:
    """Deleted accounts too, as they wrote their name."""
    return Q(username=term.removeprefix("@"))


class OpenFilter(admin.SimpleListFilter):
    """By what closed a report, which has an index: of a million reports, few are open."""

    title = pgettext_lazy("a report", "open")
    parameter_name = "is_open__exact"

    def lookups(self, _request: HttpRequest, _model_admin: Any) -> list[tuple[str, str]]:
        return [("1", gettext("Yes")), ("0", gettext("No"))]

    def queryset(self, _request: HttpRequest, queryset: QuerySet[Report]) -> QuerySet[Report]:
        if self.value() not in ("0", "1"):
            return queryset
        return queryset.filter(closed_with__isnull=self.value() == "1")


class Records(AdminPage[Any]):
    finds = (by_post, by_account("account"), by_former_name)
    search_help_text = _("The whole name of an account, or the id of a post")

    @admin.display(description=_("about"))
    def page(self, about: About) -> SafeString | str:
        """Links to the site while the account exists: later, somebody else may take its name."""
        if about.account is None:
            return gettext("%(subject)s (deleted account)") % {"subject": about.subject}
        name = about.account.username
        if about.status_id:
            return link(reverse("status", args=[name, about.status_id]), about.subject)
        return link(reverse("profile", args=[name]), about.subject)

    @admin.display(description=_("account"))
    def account_page(self, about: About) -> SafeString | str:
        if about.account is None:
            return gettext("%(author)s (deleted)") % {"author": about.author}
        return link(reverse("admin:users_user_change", args=[about.account.pk]), about.author)

    @admin.display(description=_("what it was then"))
    def evidence_shown(self, about: About) -> SafeString:
        return render_to_string("admin/moderation/_evidence.html", {"evidence": about.evidence})


@admin.register(Report)
class ReportAdmin(TakesMeasures, Records):
    words = _("report"), _("reports")
    offers = tuple(Kind)
    list_display = (
        *("id", "is_open", "category", "page", "account_page", "reporter"),
        *("created_at", "closed_with"),
    )
    list_filter = (OpenFilter, "category", "created_at")
    indexed_filters = ("is_open",)
    list_select_related = ("account", "reporter", "closed_with")
    ordering = ("-is_open", "-id")
    fields = (
        *("is_open", "in_queue", "closed_with", "page", "account_page", "category", "words"),
        *("reporter", "created_at", "evidence_shown"),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Report]:
        return visible_reports(cast("User", request.user)).order_by(*self.ordering)

    @admin.display(description=_("in the queue"))
    def in_queue(self, report: Report) -> SafeString | str:
        if report.case_id is None:
            return gettext("no longer")
        return link(
            reverse("moderation_case", args=[report.case_id]),
            gettext("case %(number)s") % {"number": report.case_id},
        )

    def status_id_of(self, chosen: Report) -> int | None:
        return chosen.status_id


@admin.register(Measure)
class MeasureAdmin(Records):
    words = _("measure"), _("measures")
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

    @admin.display(description=_("warning read"))
    def read_at(self, measure: Measure) -> Any:
        warning = getattr(measure, "warning", None)
        return warning.acknowledged_at if warning else None


@to_do
def open_cases(request: HttpRequest) -> Link | None:
    if not may_moderate(request) or not (count := open_count(cast("User", request.user))):
        return None
    words = ngettext("%(count)s case in the queue", "%(count)s cases in the queue", count)
    return Link(reverse("moderation_queue"), words % {"count": counted(count)})


@to_do
def waiting_appeals(request: HttpRequest) -> Link | None:
    if not may_moderate(request):
        return None
    if not (count := open_appeals(cast("User", request.user))[:COUNTED].count()):
        return None
    words = ngettext("%(count)s appeal", "%(count)s appeals", count)
    return Link(reverse("moderation_appeals"), words % {"count": counted(count)})


for model in (Report, Measure):
    lead(User, to=model, query=lambda user: {"q": user.username})
    lead(Status, to=model, query=lambda status: {"q": status.pk})
