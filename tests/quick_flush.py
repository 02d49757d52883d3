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
from django.test import TransactionTestCase

KEPT = {model._meta.db_table for model in (ContentType, Permission)}


@contextmanager
def quick_flush() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda _test: _empty_tables())
        yield


def _empty_tables() -> None:
    """TRUNCATE, as Django would have it for PostgreSQL, takes much longer on small tables."""
    with transaction.atomic(), connection.cursor() as cursor:
        for table in _emptied():
            cursor.execute(f'DELETE FROM "{table}"')


@cache
def _emptied() -> list[str]:
    tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
    return [table for table in tables if table not in KEPT]
