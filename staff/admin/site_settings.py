"""The settings of the site in the admin: one form, for administrators."""

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from configuration import services
from configuration.current import in_sql
from configuration.forms import SiteForm
from configuration.models import SiteSettings
from configuration.site import Site
from web.admin.page import AdminPage


@admin.register(SiteSettings)
class SiteSettingsAdmin(AdminPage[SiteSettings]):
    """There is one row, so its form stands where others have a list."""

    words = _("settings of the site"), _("settings of the site")
    allows = ("change",)

    def change_view(self, request: HttpRequest, *_args: Any, **_kwargs: Any) -> HttpResponse:
        self._refuse_others(request)
        return redirect("admin:configuration_sitesettings_changelist")

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        self._refuse_others(request)
        form = SiteForm(Site.of(in_sql()), request.POST or None)
        if request.method == "POST" and form.is_valid() and self._change(request, form):
            return redirect(request.path)
        context = {
            **self.admin_site.each_context(request),
            **(extra_context or {}),
            "title": gettext("Settings of the site"),
            "opts": self.opts,
            "form": form,
            "may_change": self.has_change_permission(request),
            "only": SiteSettings.ONLY,
        }
        status = 400 if form.is_bound else 200
        return render(request, "admin/configuration/settings.html", context, status=status)

    def _refuse_others(self, request: HttpRequest) -> None:
        if not self.has_view_or_change_permission(request):
            raise PermissionDenied

    def _change(self, request: HttpRequest, form: SiteForm) -> bool:
        try:
            changed = services.change_settings(by=request.user, **form.changes)
        except ValidationError as error:
            form.add_error(None, error)
            return False
        if changed:
            row = SiteSettings.objects.get(pk=SiteSettings.ONLY)
            said = self.construct_change_message(request, form, [])
            self.log_change(request, row, said)
        messages.success(request, gettext("The settings are saved. They hold within a second."))
        return True
