"""The index of posts, and how far it has come: made of statuses, so it is in no backup. And the
searches that people keep.
"""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

from statuses.words.terms import MAX_TERM

# Longer queries are cut: what is left has more parts than anybody needs.
LONGEST_QUERY = 200
# A term, and a sign before it.
LONGEST_ANCHOR = MAX_TERM + 1


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


class SavedSearch(models.Model):
    """Known to nobody else."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        db_index=False,
        related_name="saved_searches",
    )
    # As `Query` writes it: two spellings of one query are saved once.
    query = models.CharField(max_length=LONGEST_QUERY)
    # Empty: called by its query.
    name = models.CharField(max_length=50)
    created_at = models.DateTimeField(auto_now_add=True)
    notifies = models.BooleanField(default=False, db_default=False)
    # The newest post that its owner was, or could have been, notified of; 0: none.
    newest = models.BigIntegerField(default=0, db_default=0)

    class Meta:
        verbose_name_plural = "saved searches"
        constraints = [models.UniqueConstraint(fields=["user", "query"], name="search_saved_once")]

    def __str__(self) -> str:
        return self.name or self.query


class SearchAnchor(models.Model):
    """One of the terms of a search that notifies: a post that fits has one of them."""

    search = models.ForeignKey(SavedSearch, on_delete=models.CASCADE, related_name="anchors")
    term = models.CharField(max_length=LONGEST_ANCHOR, db_index=True)

    def __str__(self) -> str:
        return self.term


class Watched(models.Model):
    """One row. Posts up to here have been compared with the searches that notify."""

    up_to = models.BigIntegerField()

    class Meta:
        verbose_name_plural = "watched"

    def __str__(self) -> str:
        return f"up to {self.up_to}"


class RecentSearch(models.Model):
    """The newest few of an account, for nobody else; it can clear them."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        db_index=False,
        related_name="recent_searches",
    )
    # As it was typed.
    query = models.CharField(max_length=LONGEST_QUERY)
    searched_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "recent searches"
        constraints = [models.UniqueConstraint(fields=["user", "query"], name="searched_once")]

    def __str__(self) -> str:
        return self.query


DERIVED = frozenset({Entry._meta.db_table, Progress._meta.db_table})
