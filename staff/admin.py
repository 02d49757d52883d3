"""The audit log in the admin, which nobody changes; and groups, of which code writes some."""

import re
from calendar import monthrange
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import quote
from django.contrib.auth.admin import GroupAdmin as DjangosGroupAdmin
from django.contrib.auth.models import Group
from django.db.models import Max, Min, Q, QuerySet
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import NoReverseMatch, reverse
from django.utils.safestring import SafeString

from web.sql.big_tables import BoundedPaginator, OwnFilters, link

from .models import AuditEntry
from .roles import GROUPS

# Whose names are offered: those of this number of newest entries.
LOOKED_AT = 1_000

PERIOD = re.compile(r"[12]\d{3}(-\d\d){0,2}", re.ASCII)
# By the length of what is written: a year, a month, a day.
LONGEST_DAYS = {4: 366, 7: 31, 10: 1}

Choices = Sequence[tuple[str, str]]


class WhoFilter(admin.SimpleListFilter):
    title, parameter_name = "who", "who"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:  # noqa: ARG002 - Django's
        newest = AuditEntry.objects.order_by("-at", "-id")
        names = newest.values_list("by_username", flat=True)[:LOOKED_AT]
        return [(name, f"@{name}") for name in sorted(set(names) - {""})]

    def queryset(self, _request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        name = (self.value() or "").replace("\0", "")
        return queryset.filter(by_username=name) if name else queryset


class WhenFilter(admin.SimpleListFilter):
    """From years to months to days, by ranges that the index has; nothing is counted."""

    title, parameter_name = "when", "when"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:  # noqa: ARG002 - Django's
        asked = request.GET.get(self.parameter_name, "")
        offered = _within(asked) if _period(asked) else _years()
        return [(it, it) for it in offered]

    def queryset(self, _request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        period = _period(self.value() or "")
        return queryset.filter(at__gte=period[0], at__lt=period[1]) if period else queryset


def _years() -> list[str]:
    found = AuditEntry.objects.aggregate(first=Min("at"), last=Max("at"))
    if found["first"] is None:
        return []
    return [str(year) for year in range(found["last"].year, found["first"].year - 1, -1)]


def _within(text: str) -> list[str]:
    """The period itself, and those in it: months of a year, days of a month."""
    match text.split("-"):
        case [_]:
            return [text, *(f"{text}-{month:02}" for month in range(1, 13))]
        case [year, month]:
            days = monthrange(int(year), int(month))[1]
            return [year, text, *(f"{text}-{day:02}" for day in range(1, days + 1))]
    return [text[:4], text[:7], text]


def _period(text: str) -> tuple[datetime, datetime] | None:
    """`2026`, `2026-11` or `2026-11-19`, in UTC; None for anything else."""
    if not PERIOD.fullmatch(text):
        return None
    try:
        begins = datetime.fromisoformat(f"{text}{'-01-01'[: 10 - len(text)]}").replace(tzinfo=UTC)
    except ValueError:
        return None
    return begins, _end(begins, days=LONGEST_DAYS[len(text)])


def _end(begins: datetime, *, days: int) -> datetime:
    """So many days after the first of a year or month, the next one has begun."""
    later = begins + timedelta(days=days)
    if days == 1:
        return later
    return later.replace(day=1, month=1 if days > 31 else later.month)


@admin.register(AuditEntry)
class AuditEntryAdmin(OwnFilters, admin.ModelAdmin[AuditEntry]):
    list_display = ("at", "who", "role", "action", "thing", "summary", "address")
    list_filter = ("action", WhoFilter, WhenFilter)
    search_fields = ("by_username",)  # `get_search_results` says what is found
    search_help_text = "The whole name of an account: what it did, and what was done to it"
    ordering = ("-at", "-id")
    sortable_by = ()
    show_full_result_count = False
    paginator = BoundedPaginator
    fields = ("at", "who", "role", "address", "action", "thing", "kind", "object_id", "details")

    def get_search_results(
        self,
        request: HttpRequest,  # noqa: ARG002 - Django's
        queryset: QuerySet[AuditEntry],
        search_term: str,
    ) -> tuple[QuerySet[AuditEntry], bool]:
        """Searches only what has an index."""
        name = search_term.strip().removeprefix("@").replace("\0", "")
        if not name:
            return queryset, False
        return queryset.filter(Q(by_username=name) | Q(object_text=f"@{name}")), False

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002 - Django's
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002 - Django's
        return False

    @admin.display(description="Who")
    def who(self, entry: AuditEntry) -> str:
        return f"@{entry.by_username}" if entry.by_username else "the command line"

    @admin.display(description="What")
    def thing(self, entry: AuditEntry) -> SafeString | str:
        """Links to its page, where it has one. That says so if it is gone."""
        page = f"admin:{entry.kind.replace('.', '_')}_change"
        try:
            return link(
                reverse(page, args=[quote(entry.object_id)]), entry.object_text or entry.object_id
            )
        except NoReverseMatch:
            return entry.object_text

    @admin.display(description="Change")
    def summary(self, entry: AuditEntry) -> str:
        return entry.words or ", ".join(it["field"] for it in entry.changes)

    @admin.display(description="Change")
    def details(self, entry: AuditEntry) -> SafeString:
        return render_to_string("admin/staff/_changes.html", {"entry": entry})


admin.site.unregister(Group)


@admin.register(Group)
class GroupAdmin(DjangosGroupAdmin):
    """What the groups of roles may do is written in `roles.py`; other groups are the site's own."""

    def has_change_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        return super().has_change_permission(request, obj) and not _is_of_a_role(obj)

    def has_delete_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        return super().has_delete_permission(request, obj) and not _is_of_a_role(obj)


def _is_of_a_role(group: Group | None) -> bool:
    return group is not None and group.name in GROUPS.values()
