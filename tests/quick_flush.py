"""Tables are emptied after each test that commits. What only migrations write may stay.

Django would also empty the tables of content types and permissions, and fill them again: that is
most of what such a test costs.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.management.commands import flush

KEPT = {model._meta.db_table for model in (ContentType, Permission)}


@contextmanager
def quick_flush() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flush, "sql_flush", _sql_flush_but_for_kept)
        patch.setattr(flush, "emit_post_migrate_signal", lambda *_args, **_kwargs: None)
        yield


def _sql_flush_but_for_kept(_style: Any, connection: Any, **_options: Any) -> list[str]:
    """TRUNCATE, as Django would have it for PostgreSQL, takes much longer on small tables."""
    tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
    return [f'DELETE FROM "{table}"' for table in tables if table not in KEPT]
