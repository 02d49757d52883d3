"""The settings of the site in the admin: one form, for administrators."""

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext

from . import services
from .current import in_sql
from .forms import SiteForm
from .models import SiteSettings
from .site import Site


@admin.register(SiteSettings)
class SiteSettingsAdmin(admin.ModelAdmin[SiteSettings]):
    """There is one row, so its form stands where others have a list."""

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002 - Django's
        return False

    def change_view(self, *_args: Any, **_kwargs: Any) -> HttpResponse:
        return redirect("admin:configuration_sitesettings_changelist")

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        if not self.has_view_or_change_permission(request):
            raise PermissionDenied
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

    def _change(self, request: HttpRequest, form: SiteForm) -> bool:
        try:
            changed = services.change_settings(by=request.user, **form.changes)
        except ValidationError as error:
            form.add_error(None, error)
            return False
        if changed:
            row = SiteSettings.objects.get(pk=SiteSettings.ONLY)
            said = self.construct_change_message(request, form, None)
            self.log_change(request, row, said)
        messages.success(request, gettext("The settings are saved. They hold within a second."))
        return True
