from django.db import models


class KeyFingerprint(models.Model):
    """By what a host recognises the `SECRET_KEY` that the others use; one row."""

    # A salted, slow hash, as of a password: it does not help to guess a weak key.
    hashed = models.CharField(max_length=256)

    def __str__(self) -> str:
        return "the fingerprint of SECRET_KEY"
