"""Invitations in the admin: made, looked at, revoked, never changed."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from web.admin.page import AdminPage

from . import services
from .models import Invitation

FIELDS = ("note", "most_uses", "ends_at")
SHOWN = ("address", "state", "used", *FIELDS, "made_by", "made_at")


@admin.register(Invitation)
class InvitationAdmin(AdminPage[Invitation]):
    words = _("invitation"), _("invitations")
    allows = ("add", "change")
    list_display = ("__str__", "state", "used", "address", "ends_at", "made_by", "made_at")
    actions = ("revoke",)

    def get_list_display(self, request: HttpRequest) -> Any:
        return self._without_secrets(request, self.list_display)

    def get_fields(self, request: HttpRequest, obj: Invitation | None = None) -> Any:
        return self._without_secrets(request, SHOWN) if obj else FIELDS

    def _without_secrets(self, request: HttpRequest, names: Sequence[str]) -> list[str]:
        """Those who may only look could use a link themselves."""
        may_change = self.has_change_permission(request)
        return [name for name in names if may_change or name != "address"]

    def get_readonly_fields(self, request: HttpRequest, obj: Invitation | None = None) -> Any:
        return () if obj is None else self.get_fields(request, obj)

    def has_change_permission(self, request: HttpRequest, obj: Invitation | None = None) -> bool:
        """To revoke some, in the list."""
        return obj is None and super().has_change_permission(request)

    def save_model(self, request: HttpRequest, obj: Invitation, form: Any, change: bool) -> None:  # noqa: ARG002 - Django's
        given = {name: form.cleaned_data[name] for name in FIELDS}
        made = services.make_invitation(by=request.user, **given)
        obj.pk, obj.code = made.pk, made.code

    @admin.action(description=_("Revoke the chosen invitations"), permissions=["change"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[Invitation]) -> None:
        revoked = [
            it for it in queryset if services.revoke_invitation(invitation=it, by=request.user)
        ]
        for invitation in revoked:
            self.log_change(request, invitation, gettext("Revoked."))
        words = ngettext(
            "%(count)s invitation is revoked.", "%(count)s invitations are revoked.", len(revoked)
        )
        messages.success(request, words % {"count": len(revoked)})

    @admin.display(description=_("State"))
    def state(self, invitation: Invitation) -> str:
        if invitation.revoked_at is not None:
            return gettext("Revoked")
        if invitation.ends_at is not None and invitation.ends_at <= timezone.now():
            return gettext("Expired")
        return gettext("Used up") if invitation.uses >= invitation.most_uses else gettext("Valid")

    @admin.display(description=_("Used"))
    def used(self, invitation: Invitation) -> str:
        return f"{invitation.uses} / {invitation.most_uses}"

    @admin.display(description=_("Link"))
    def address(self, invitation: Invitation) -> SafeString:
        link = f"{settings.SITE_URL}{reverse('signup')}?invitation={invitation.code}"
        return format_html('<a href="{}">{}</a>', link, link)
