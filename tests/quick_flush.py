"""Tables are emptied after each test that commits. What only migrations write may stay.

Django's `flush` would also empty the tables of content types and permissions, and fill them again.
To look for the command and the tables each time takes most of the rest. Then Django would open the
database anew for every test, which takes twice as long as to empty it.
"""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cache

import pytest
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from django.test import TransactionTestCase

from staff.models import AuditEntry

KEPT = {model._meta.db_table for model in (ContentType, Permission)}
AUDIT_LOG = AuditEntry._meta.db_table


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
        tables = [table for (table,) in cursor.fetchall()]
        with without_triggers(cursor) if AUDIT_LOG in tables else nullcontext():
            for table in tables:
                cursor.execute(f'DELETE FROM "{table}"')


@contextmanager
def without_triggers(cursor: CursorWrapper) -> Iterator[None]:
    """The database refuses to empty the audit log; few tests write to it."""
    if cursor.db.vendor == "postgresql":
        cursor.execute(f"ALTER TABLE {AUDIT_LOG} DISABLE TRIGGER USER")
        yield
        cursor.execute(f"ALTER TABLE {AUDIT_LOG} ENABLE TRIGGER USER")
    else:
        find = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = %s"
        cursor.execute(find, [AUDIT_LOG])
        triggers = cursor.fetchall()
        for name, _ in triggers:
            cursor.execute(f"DROP TRIGGER {name}")
        yield
        for _, statement in triggers:
            cursor.execute(statement)


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
