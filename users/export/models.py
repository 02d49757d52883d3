from django.conf import settings
from django.db import models
from django.utils import timezone


class Export(models.Model):
    """A copy of all that an account has on the site, for its owner; the file goes after a day."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="export"
    )
    asked_at = models.DateTimeField(default=timezone.now)
    # How far it has come: the parts that are written, and when that last changed.
    parts_done = models.PositiveSmallIntegerField(default=0)
    moved_at = models.DateTimeField(default=timezone.now)
    # The name in the storage; empty until it is ready.
    file = models.CharField(max_length=200, blank=True)
    size = models.PositiveBigIntegerField(default=0)
    expires_at = models.DateTimeField(null=True, db_index=True)

    def __str__(self) -> str:
        return f"export of {self.user}"
