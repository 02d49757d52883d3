"""The audit log in the admin, which nobody changes; and groups, of which code writes some."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import quote
from django.contrib.auth.models import Group
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import NoReverseMatch, reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from users.admin.accounts import GroupAdmin
from web.admin.filters import Choices, dates_of
from web.admin.page import AdminPage
from web.sql.big_tables import link

from ..models import AuditEntry
from ..roles import GROUPS

# Whose names are offered: those of this number of newest entries.
LOOKED_AT = 1_000


class WhoFilter(admin.SimpleListFilter):
    title, parameter_name = _("who"), "who"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:  # noqa: ARG002 - Django's
        newest = AuditEntry.objects.order_by("-at", "-id")
        names = newest.values_list("by_username", flat=True)[:LOOKED_AT]
        return [(name, f"@{name}") for name in sorted(set(names) - {""})]

    def queryset(self, _request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        name = (self.value() or "").replace("\0", "")
        return queryset.filter(by_username=name) if name else queryset


def by_account(term: str) -> Q:
    """What it did, and what was done to it."""
    name = term.removeprefix("@").replace("\0", "")
    return Q(by_username=name) | Q(whose=name)


@admin.register(AuditEntry)
class AuditEntryAdmin(AdminPage[AuditEntry]):
    words = _("audit log entry"), _("audit log entries")
    finds = (by_account,)
    list_display = ("at", "action", "thing", "who", "summary", "role", "address")
    list_filter = (dates_of("at"), "action", WhoFilter)
    indexed_filters = ("action", "who")
    search_help_text = _("The whole name of an account: what it did, and what was done to it")
    ordering = ("-at", "-id")
    fields = ("at", "who", "role", "address", "action", "thing", "kind", "object_id", "details")

    @admin.display(description=_("who"))
    def who(self, entry: AuditEntry) -> str:
        return f"@{entry.by_username}" if entry.by_username else gettext("the command line")

    @admin.display(description=_("what"))
    def thing(self, entry: AuditEntry) -> SafeString | str:
        """Links to its page, where it has one. That says so if it is gone."""
        page = f"admin:{entry.kind.replace('.', '_')}_change"
        try:
            return link(
                reverse(page, args=[quote(entry.object_id)]), entry.object_text or entry.object_id
            )
        except NoReverseMatch:
            return entry.object_text

    @admin.display(description=_("change"))
    def summary(self, entry: AuditEntry) -> str:
        return entry.words or ", ".join(it["field"] for it in entry.changes)

    @admin.display(description=_("change"))
    def details(self, entry: AuditEntry) -> SafeString:
        return render_to_string("admin/staff/_changes.html", {"entry": entry})


admin.site.unregister(Group)


@admin.register(Group)
class RoleGroupAdmin(GroupAdmin):
    """What the groups of roles may do is written in `roles.py`; other groups are the site's own."""

    def has_change_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        return super().has_change_permission(request, obj) and not _is_of_a_role(obj)

    def has_delete_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        return super().has_delete_permission(request, obj) and not _is_of_a_role(obj)


def _is_of_a_role(group: Group | None) -> bool:
    return group is not None and group.name in GROUPS.values()
