from django.conf import settings
from django.db import models
from django.utils import timezone


class Authenticator(models.Model):
    """The app that makes six-digit codes. Its secret is sealed (`redistools/sealing.py`)."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="authenticator"
    )
    secret = models.CharField(max_length=200, editable=False)
    # None until a first code has shown that the app has the secret.
    confirmed_at = models.DateTimeField(null=True, editable=False)
    # The half minute of the last code that was used: no code works twice.
    last_step = models.BigIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    def __str__(self) -> str:
        return f"second factor of {self.user}"


class RecoveryCode(models.Model):
    """Stands in for the authenticator, once. 80 random bits, so a plain digest can't be guessed."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        db_index=False,
        related_name="recovery_codes",
    )
    digest = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "digest"], name="recovery_code")]

    def __str__(self) -> str:
        return f"recovery code {self.pk}"


class EmailChange(models.Model):
    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="email_change"
    )
    email = models.EmailField()
    asked_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"new address of {self.user}"
