"""Who does not want to be offered whom."""

from django.conf import settings
from django.db import models


class Dismissal(models.Model):
    """They can still be found and followed. They do not learn of it."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        db_index=False,
        related_name="dismissals",
    )
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "person"], name="dismissed_once")]

    def __str__(self) -> str:
        return f"{self.user} is not interested in {self.person}"
