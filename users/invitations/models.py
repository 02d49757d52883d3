import secrets
from datetime import datetime
from typing import Self

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

MOST_USES = 10_000
# 128 random bits: nobody guesses one.
CODE_BYTES = 16


def new_code() -> str:
    return secrets.token_urlsafe(CODE_BYTES)


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def usable(self, now: datetime) -> Self:
        in_time = Q(ends_at=None) | Q(ends_at__gt=now)
        return self.filter(in_time, revoked_at=None, uses__lt=F("most_uses"))


class Invitation(models.Model):
    """Lets some people sign up while others can't. Its code stands in a link."""

    code = models.CharField(max_length=32, unique=True, default=new_code, editable=False)
    note = models.CharField(
        _("note"), max_length=200, blank=True, help_text=_("For administrators: whom it is for.")
    )
    most_uses = models.PositiveIntegerField(
        _("sign-ups"),
        default=1,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_USES)],
        help_text=_("How many people can sign up with it."),
    )
    uses = models.PositiveIntegerField(_("used"), default=0, editable=False)
    ends_at = models.DateTimeField(
        _("until"), null=True, blank=True, help_text=_("Empty: until it is used up or revoked.")
    )
    revoked_at = models.DateTimeField(_("revoked"), null=True, editable=False)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        editable=False,
        related_name="invitations",
        verbose_name=_("made by"),
    )
    made_at = models.DateTimeField(_("made"), default=timezone.now, editable=False)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        verbose_name = _("invitation")
        verbose_name_plural = _("invitations")
        default_permissions = ("add", "change", "view")
        constraints = [
            models.CheckConstraint(
                condition=Q(uses__lte=F("most_uses")), name="invitation_not_overused"
            )
        ]

    def __str__(self) -> str:
        return self.note or f"{self.code[:6]}…"

    def clean(self) -> None:
        if self._state.adding and self.ends_at is not None and self.ends_at <= timezone.now():
            raise ValidationError({"ends_at": gettext("That time is over.")})
