"""Tables are emptied after each test that commits. What only migrations write may stay.

Django's `flush` would also empty the tables of content types and permissions, and fill them again.
To look for the command and the tables each time takes most of the rest. Then Django would open the
database anew for every test, which takes twice as long as to empty it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import pytest
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connection, transaction
from django.test import TransactionTestCase

KEPT = {model._meta.db_table for model in (ContentType, Permission)}


@contextmanager
def quick_flush() -> Iterator[None]:
    usual = connection.get_connection_params().get("timeout", 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda _test: _empty_tables())
        patch.setattr(
            TransactionTestCase, "_should_reload_connections", lambda _test: _patience() != usual
        )
        yield


def _empty_tables() -> None:
    """TRUNCATE, as Django would have it for PostgreSQL, takes much longer on small tables."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_which_have_rows())
        for (table,) in cursor.fetchall():
            cursor.execute(f'DELETE FROM "{table}"')


def _patience() -> float | None:
    """How long the connection to SQLite waits for a lock: some tests make it wait less. Others are
    closed, since unlike a file their server can go away.
    """
    if connection.vendor != "sqlite":
        return None
    with connection.cursor() as cursor:
        return float(cursor.execute("PRAGMA busy_timeout").fetchone()[0]) / 1000


@cache
def _which_have_rows() -> str:
    """One question for all: most tests fill few."""
    tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
    emptied = (table for table in tables if table not in KEPT)
    asked = (f"SELECT '{it}' WHERE EXISTS (SELECT 1 FROM \"{it}\")" for it in emptied)
    return " UNION ALL ".join(asked)
