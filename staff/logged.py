"""Pages of the admin whose changes go to the audit log. It takes the place of Django's own log."""

from typing import TYPE_CHECKING, Any, cast

from django.contrib.admin.utils import unquote
from django.db import transaction
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse

from . import audit
from .models import Action, AuditEntry

if TYPE_CHECKING:
    from django.contrib import admin

    from users.models import User

    Base = admin.ModelAdmin[Any]
else:
    Base = object

MOST_IN_HISTORY = 100


class Logged(Base):
    def construct_change_message(
        self,
        request: HttpRequest,  # noqa: ARG002 - Django's
        form: Any,
        formsets: Any,
        add: bool = False,  # noqa: ARG002 - Django's
    ) -> Any:
        """What Django hands to `log_addition` and `log_change`."""
        return audit.changes_in(form, formsets)

    def log_addition(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        return _write(Action.ADDED, request, obj, message)

    def log_change(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        """A form that changes nothing leaves no entry."""
        return _write(Action.CHANGED, request, obj, message) if message else None

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        return [_write(Action.DELETED, request, it, "") for it in queryset]

    def response_action(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        """Django logs a deletion before it deletes, each in a transaction of its own."""
        with transaction.atomic():
            return super().response_action(request, queryset)

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        kind = self.model._meta.label_lower
        entries = AuditEntry.objects.filter(kind=kind, object_id=unquote(object_id))
        ours = {"entries": entries.order_by("-at", "-id")[:MOST_IN_HISTORY]}
        return super().history_view(request, object_id, ours | (extra_context or {}))


def _write(action: Action, request: HttpRequest, about: Model, message: Any) -> AuditEntry:
    """Our own pages say in words what they did; forms have changes."""
    said = {"words": message} if isinstance(message, str) else {"changes": message}
    return audit.write(action, about, by=cast("User", request.user), **said)
