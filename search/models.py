"""The index of posts, and how far it has come. Made of statuses, so it is in no backup."""

from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper


class TermsField(models.TextField[str, str]):
    """Terms as the engine writes them (`search/index/engine.py`)."""

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        return "tsvector" if connection.vendor == "postgresql" else "text"

    def get_placeholder(self, _value: Any, _compiler: Any, connection: BaseDatabaseWrapper) -> str:
        return "%s::tsvector" if connection.vendor == "postgresql" else "%s"


class Entry(models.Model):
    """A post that can be found. On SQLite, this is a table of FTS5; on PostgreSQL, it has a GIN."""

    id = models.BigIntegerField(primary_key=True, db_column="rowid")
    terms = TermsField()

    class Meta:
        verbose_name_plural = "entries"

    def __str__(self) -> str:
        return f"entry of status {self.pk}"


class Progress(models.Model):
    """One row. Posts from `rest` up to `settled` have been looked at."""

    # Above it, a post may still be on its way into SQL.
    settled = models.BigIntegerField()
    # Posts below it are looked at from the newest to the oldest; 0: all of them have been.
    rest = models.BigIntegerField()

    class Meta:
        verbose_name_plural = "progress"

    def __str__(self) -> str:
        return f"from {self.rest} to {self.settled}"


DERIVED = frozenset({Entry._meta.db_table, Progress._meta.db_table})
