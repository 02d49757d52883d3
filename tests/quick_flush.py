"""Tables are emptied after each test that commits. What only migrations write may stay.

Django's `flush` would also empty the tables of content types and permissions, and fill them again.
To look for the command and the tables each time takes most of the rest.
"""

from collections.abc import Iterator
from contextlib import contextmanager
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
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda _test: _empty_tables())
        yield


def _empty_tables() -> None:
    """TRUNCATE, as Django would have it for PostgreSQL, takes much longer on small tables."""
    with transaction.atomic(), connection.cursor() as cursor, _without_triggers(cursor):
        for table in _emptied():
            cursor.execute(f'DELETE FROM "{table}"')


@contextmanager
def _without_triggers(cursor: CursorWrapper) -> Iterator[None]:
    """The database refuses to empty the audit log; few tests write to it."""
    if not AuditEntry.objects.exists():
        yield
    elif cursor.db.vendor == "postgresql":
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


@cache
def _emptied() -> list[str]:
    tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
    return [table for table in tables if table not in KEPT]
