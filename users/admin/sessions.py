"""How people come in: their browsers, second factors and exports. Never a key or a secret."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from web.admin.leads import lead
from web.admin.page import AdminPage

from ..login import session_rows
from ..models import Authenticator, Export, Session, User
from ..safety import second_factor
from .accounts import may_touch
from .finding import by_account

WHOLE_NAME = _("The whole name of an account")


@admin.register(Session)
class SessionAdmin(AdminPage[Session]):
    """Deleting one logs its browser out."""

    words = _("session"), _("sessions")
    allows = ("delete",)
    list_display = ("device", "user", "address", "created_at", "seen_at", "expires_at")
    finds = (by_account("user"),)
    search_help_text = WHOLE_NAME
    fields = ("user", "device", "address", "created_at", "seen_at", "expires_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Session]:
        """Without those of visitors, and what is sealed in them."""
        return super().get_queryset(request).filter(user__isnull=False).defer("data", "digest")

    def has_delete_permission(self, request: HttpRequest, obj: Session | None = None) -> bool:
        may = may_touch(request, obj.user if obj else None)
        return super().has_delete_permission(request, obj) and may

    def remove(self, row: Session) -> None:
        session_rows.end(Session.objects.filter(pk=row.pk), reason="ended by staff")

    @admin.display(description=_("device"))
    def device(self, session: Session) -> str:
        return session.device


@admin.register(Authenticator)
class AuthenticatorAdmin(AdminPage[Authenticator]):
    """For those who lost both app and recovery codes: without it the password is enough."""

    words = _("second factor"), _("second factors")
    allows = ("delete",)
    list_display = ("user", "confirmed_at")
    finds = (by_account("user"),)
    search_help_text = WHOLE_NAME
    fields = ("user", "created_at", "confirmed_at")

    def has_delete_permission(self, request: HttpRequest, obj: Authenticator | None = None) -> bool:
        may = may_touch(request, obj.user if obj else None)
        return super().has_delete_permission(request, obj) and may

    def remove(self, row: Authenticator) -> None:
        second_factor.turn_off(user=row.user)


@admin.register(Export)
class ExportAdmin(AdminPage[Export]):
    """How far it has come. The file is for its owner alone."""

    words = _("export"), _("exports")
    list_display = ("user", "asked_at", "moved_at", "is_ready", "size", "expires_at")
    finds = (by_account("user"),)
    search_help_text = WHOLE_NAME
    fields = ("user", "asked_at", "moved_at", "parts_done", "is_ready", "size", "expires_at")

    @admin.display(boolean=True, description=_("ready"))
    def is_ready(self, export: Export) -> bool:
        return bool(export.file)


for model in (Session, Authenticator, Export):
    lead(User, to=model, query=lambda user: {"q": user.username})
