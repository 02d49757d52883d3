from django.conf import settings
from django.db import models

from .folding import MAX_WORD


class Source(models.IntegerChoices):
    """Where an account has a word: who looks for people finds names first."""

    NAME = 0
    BIO = 1


class NameWord(models.Model):
    """A word of a name, username or bio, folded, by which the account is found (`index.write`)."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        db_index=False,
        related_name="name_words",
    )
    word = models.CharField(max_length=MAX_WORD)
    source = models.SmallIntegerField(default=Source.NAME, db_default=Source.NAME)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "word"], name="name_word_once")]
        indexes = [
            # For LIKE 'ma%', PostgreSQL needs an index in the order of bytes.
            models.Index(
                fields=["source", "word", "user"],
                opclasses=["int2_ops", "varchar_pattern_ops", "int8_ops"],
                name="name_word_beginning",
            )
        ]

    def __str__(self) -> str:
        return self.word


class RestingName(models.Model):
    digest = models.CharField(max_length=64, unique=True)
    until = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"a name until {self.until:%Y-%m-%d}"
