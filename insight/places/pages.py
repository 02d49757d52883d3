"""Where members are, in the admin."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from web.admin.page import AdminPage

from . import figures, members, store
from .models import Place
from .report import as_csv, lines


@admin.register(Place)
class PlaceAdmin(AdminPage[Place]):
    """Where members are, in place of a list of places."""

    words = _("place"), _("places of members")
    fields = ("number", "country", "region", "city")

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        self._refuse_others(request)
        found = figures.of_today() if members.are_noted() else None
        if found and request.GET.get("as") == "csv":
            headers = {"Content-Disposition": 'attachment; filename="places.csv"'}
            return HttpResponse(as_csv(found), "text/csv; charset=utf-8", headers=headers)
        context = {
            **self.admin_site.each_context(request),
            **(extra_context or {}),
            "title": gettext("Places of members"),
            "opts": self.opts,
            "is_on": found is not None,
            "may_switch_on": request.user.has_perm("configuration.change_sitesettings"),
            "file": store.current(),
            "figures": found,
            "lines": lines(found) if found else [],
        }
        return render(request, "admin/insight/places.html", context)

    def _refuse_others(self, request: HttpRequest) -> None:
        if request.method not in ("GET", "HEAD") or not self.has_view_permission(request):
            raise PermissionDenied
