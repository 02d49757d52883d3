from django.conf import settings
from django.db import models
from django.db.models import Q

from web.plain_text import validate_lines

LONGEST = 1_000


class Appeal(models.Model):
    """Its author asks for a second look at a measure; somebody else answers."""

    measure = models.OneToOneField(
        "moderation.Measure", on_delete=models.PROTECT, related_name="appeal"
    )
    # Their words go with the account.
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="appeals"
    )
    words = models.CharField(max_length=LONGEST, validators=[validate_lines])
    created_at = models.DateTimeField(auto_now_add=True)
    is_open = models.BooleanField(default=True)
    is_accepted = models.BooleanField(default=False)
    answer = models.CharField(max_length=LONGEST, blank=True, validators=[validate_lines])
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    answered_by_username = models.CharField(max_length=30, blank=True)
    answered_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["id"], condition=Q(is_open=True), name="appeal_open")]

    def __str__(self) -> str:
        return f"appeal {self.pk} against {self.measure}"
