"""Thousands of rows at once."""

from collections.abc import Collection, Sequence

from django.db import connection
from django.db.models import Model


def insert(rows: Sequence[Model], *, differing_in: Collection[str]) -> None:
    """In a fraction of the time of `bulk_create`, which prepares every column of every row: those
    that are the same in all rows are copied from the first.
    """
    first, quoted = rows[0], connection.ops.quote_name
    type(first)._base_manager.bulk_create([first])
    fields = first._meta.concrete_fields
    given = [it for it in fields if it.attname in differing_in]
    columns = {it: quoted(str(it.column)) for it in fields}
    copied = ["%s" if it in given else column for it, column in columns.items()]
    table, key = quoted(first._meta.db_table), columns[first._meta.pk]
    into = f"INSERT INTO {table} ({', '.join(columns.values())})"
    values = [
        [*(it.get_db_prep_save(getattr(row, it.attname), connection) for it in given), first.pk]
        for row in rows[1:]
    ]
    with connection.cursor() as cursor:
        sql = f"{into} SELECT {', '.join(copied)} FROM {table} WHERE {key} = %s"
        cursor.executemany(sql, values)
