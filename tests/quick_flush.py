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
from django.core.management.sql import sql_flush

KEPT = tuple(f'DELETE FROM "{model._meta.db_table}"' for model in (ContentType, Permission))


@contextmanager
def quick_flush() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flush, "sql_flush", _sql_flush_but_for_kept)
        patch.setattr(flush, "emit_post_migrate_signal", lambda *_args, **_kwargs: None)
        yield


def _sql_flush_but_for_kept(*arguments: Any, **options: Any) -> list[str]:
    statements: list[str] = sql_flush(*arguments, **options)
    return [statement for statement in statements if not statement.startswith(KEPT)]
