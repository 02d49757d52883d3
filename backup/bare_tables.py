"""Tables without their indexes and foreign keys, while they are filled.

To build an index once takes a fraction of the time of keeping it up row by row, and so does
checking references.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from django.db.backends.utils import CursorWrapper

from .archive import bar

# Each as a pair of statements: what takes it away, and what makes it again.
FOREIGN_KEYS = """
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname),
           format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname,
                  pg_get_constraintdef(oid))
    FROM pg_constraint
    WHERE contype = 'f' AND connamespace = current_schema()::regnamespace
"""
# Those of primary keys and unique constraints stay.
INDEXES = """
    SELECT format('DROP INDEX %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
    FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
    WHERE relnamespace = current_schema()::regnamespace
      AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
"""


class Part(NamedTuple):
    drop: str
    make: str


@contextmanager
def bare_tables(cursor: CursorWrapper) -> Iterator[None]:
    """In one transaction: if the block fails, nothing was taken away."""
    parts = [*_parts(cursor, FOREIGN_KEYS), *_parts(cursor, INDEXES)]
    for part in parts:
        cursor.execute(part.drop)
    yield
    with bar("indexes", len(parts), unit="indexes") as progress:
        # Indexes first: foreign keys are checked by them.
        for part in reversed(parts):
            cursor.execute(part.make)
            progress.update()


def _parts(cursor: CursorWrapper, statement: str) -> list[Part]:
    cursor.execute(statement)
    return [Part(*row) for row in cursor.fetchall()]
