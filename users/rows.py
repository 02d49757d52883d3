"""Accounts by SQL that is built once: Django builds a query for longer than SQL takes to run it.

For what every page and every write does; docs/benchmarks.md has the figures.
"""

from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import Any

from django.db import connection

from .models import User

FIELDS = User._meta.concrete_fields
NAMES = [field.attname for field in FIELDS]
TABLE = f'"{User._meta.db_table}"'

Converter = Callable[[Any], Any]


def account(user_id: int) -> User | None:
    """One query."""
    return next(iter(_read(_select("= %s"), [user_id])), None)


def lock_accounts(user_ids: Collection[int]) -> dict[int, User]:
    """Until the transaction ends. One query, in the order of the ids: two who lock the same
    accounts never wait for each other.
    """
    wanted = sorted(set(user_ids))
    places = ", ".join(["%s"] * len(wanted))
    suffix = ' ORDER BY "id"' + _for_update() if wanted else ""
    rows = _read(_select(f"IN ({places}){suffix}"), wanted) if wanted else []
    return {user.pk: user for user in rows}


def add_to(user_id: int, column: str, change: int) -> bool:
    """False where there is no such account. Locks its row until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute(_update(column), [change, user_id])
        return bool(cursor.rowcount)


def _read(query: str, parameters: Sequence[int]) -> list[User]:
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        rows = cursor.fetchall()
    return [_user(row) for row in rows]


def _user(row: Sequence[Any]) -> User:
    values = [convert(value) for convert, value in zip(_converters(), row, strict=True)]
    user: User = User.from_db(connection.alias, NAMES, values)
    return user


@cache
def _select(condition: str) -> str:
    columns = ", ".join(f'"{field.column}"' for field in FIELDS)
    return f'SELECT {columns} FROM {TABLE} WHERE "id" {condition}'  # noqa: S608 - no input


@cache
def _update(column: str) -> str:
    return f'UPDATE {TABLE} SET "{column}" = "{column}" + %s WHERE "id" = %s'  # noqa: S608 - no input


def _for_update() -> str:
    """SQLite's transactions lock the whole database."""
    return " FOR NO KEY UPDATE" if connection.features.has_select_for_no_key_update else ""


@cache
def _converters() -> list[Converter]:
    """What the database's values need to become Python's: SQLite knows neither dates nor truth."""
    return [_converter_of(field) for field in FIELDS]


def _converter_of(field: Any) -> Converter:
    column = field.get_col(User._meta.db_table)
    steps: Sequence[Any] = [
        *connection.ops.get_db_converters(column),
        *field.get_db_converters(connection),
    ]

    def convert(value: Any) -> Any:
        for step in steps:
            value = step(value, column, connection)
        return value

    return convert
