"""The audit log: what staff changed. Rows are written once; neither code nor SQL changes them."""

from typing import Any, NoReturn, Self

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

LONGEST_TEXT = 200


class AppendOnlyError(Exception):
    """Somebody tries to change the audit log. The database would refuse it too, by a trigger."""

    def __init__(self) -> None:
        super().__init__("The audit log is append-only: write another entry, which says what is so")


class Action(models.TextChoices):
    ADDED = "added", _("Added")
    CHANGED = "changed", _("Changed")
    DELETED = "deleted", _("Deleted")
    MEASURE = "measure", _("Measure taken")
    ROLE = "role", _("Role changed")


class AppendOnly(models.QuerySet["AuditEntry"]):
    def update(self, **_kwargs: Any) -> NoReturn:
        raise AppendOnlyError

    def delete(self) -> NoReturn:
        raise AppendOnlyError

    def bulk_update(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        raise AppendOnlyError

    def about(self, thing: models.Model) -> Self:
        return self.filter(kind=thing._meta.label_lower, object_id=str(thing.pk))


class AuditEntry(models.Model):
    """Outlives all that it is about: ids are loose, and copies say what was there."""

    at = models.DateTimeField("when", default=timezone.now, editable=False)
    # Nobody: from the command line of the server.
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        editable=False,
        related_name="+",
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
    )
    by_username = models.CharField("who", max_length=30, blank=True, editable=False)
    # What they were then: `roles.Role`, or empty for staff with rights of their own.
    role = models.CharField(max_length=20, blank=True, editable=False)
    # As `web.client_address` has it: an IPv4 address or an IPv6 network.
    address = models.CharField(max_length=50, blank=True, editable=False)
    action = models.CharField(max_length=10, choices=Action.choices, editable=False)
    # `<app>.<model>` of what was changed, its id, and what it was called then.
    kind = models.CharField(max_length=100, editable=False)
    object_id = models.CharField(max_length=400, editable=False)
    object_text = models.CharField("what", max_length=LONGEST_TEXT, editable=False)
    # The name of the account that it is, or that it belongs to.
    whose = models.CharField(max_length=30, blank=True, editable=False)
    # Of each field its name and, where that is no secret, both values (`audit.change`).
    changes = models.JSONField(default=list, editable=False)
    words = models.CharField(max_length=LONGEST_TEXT, blank=True, editable=False)

    objects = AppendOnly.as_manager()

    class Meta:
        verbose_name, verbose_name_plural = "audit log entry", "audit log entries"
        default_permissions = ("view",)
        indexes = [
            models.Index(fields=["at", "id"], name="audit_by_time"),
            models.Index(fields=["by_username", "at", "id"], name="audit_by_name"),
            models.Index(fields=["action", "at", "id"], name="audit_by_action"),
            models.Index(fields=["kind", "object_id"], name="audit_by_object"),
            models.Index(fields=["whose", "at", "id"], name="audit_by_whose"),
        ]

    def __str__(self) -> str:
        return f"{self.get_action_display()}: {self.object_text}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise AppendOnlyError
        super().save(*args, **kwargs | {"force_insert": True})

    def delete(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        raise AppendOnlyError


class FirstAdministrator(models.Model):
    """One row: what the link for the first administrator is made from, and when it was used, or
    somebody became one in another way.
    """

    nonce = models.CharField(max_length=64, editable=False)
    used_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return "used" if self.used_at else "not used yet"
