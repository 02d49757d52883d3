from django.db import models


class TokenUse(models.Model):
    """The day on which a token was last used: enough to see which ones nobody needs any more."""

    token = models.OneToOneField(
        "oauth2_provider.AccessToken",
        primary_key=True,
        on_delete=models.CASCADE,
        related_name="use",
    )
    used_on = models.DateField()

    def __str__(self) -> str:
        return f"token {self.token_id} on {self.used_on}"
