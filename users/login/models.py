from django.conf import settings
from django.db import models
from django.utils import timezone

from .agents import LONGEST, described


class Session(models.Model):
    """One browser, by the digest of its key, with data sealed by that key: of no use to a thief."""

    digest = models.CharField(max_length=64, unique=True)
    # None for a visitor, and between the steps of a log-in.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.CASCADE,
        db_index=False,
        related_name="sessions",
    )
    data = models.TextField()
    agent = models.CharField(max_length=LONGEST, blank=True)
    address = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    # Written once an hour at most.
    seen_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        indexes = [models.Index(fields=["user", "-seen_at"], name="session_by_user")]

    def __str__(self) -> str:
        return f"session {self.pk}"

    @property
    def device(self) -> str:
        return described(self.agent)
