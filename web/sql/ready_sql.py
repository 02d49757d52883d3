"""SQL that is built once: Django takes longer to build a query than SQL to run it.

For the few queries of every page and every write; docs/benchmarks.md has the figures.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar

from django.db import connection, models

M = TypeVar("M", bound=models.Model)
Converter = Callable[[Any], Any]
Row = tuple[Any, ...]


class Columns(Generic[M]):
    """All columns of a model, for a SELECT, and the way back from a row to an object."""

    def __init__(self, model: type[M]) -> None:
        self._model = model
        self._fields = model._meta.concrete_fields
        self._names = [field.attname for field in self._fields]
        self.table = f'"{model._meta.db_table}"'
        self.sql = ", ".join(f'{self.table}."{field.column}"' for field in self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    @cached_property
    def insert(self) -> str:
        """The statement for `values_of` an object."""
        names = ", ".join(f'"{field.column}"' for field in self._fields)
        places = ", ".join(["%s"] * len(self))
        return f"INSERT INTO {self.table} ({names}) VALUES ({places})"  # noqa: S608 - no input

    def values_of(self, made: M) -> list[Any]:
        return [
            field.get_db_prep_save(field.pre_save(made, add=True), connection)
            for field in self._fields
        ]

    def object_of(self, row: Sequence[Any]) -> M:
        values = list(row)
        for place, convert in self._converters:
            values[place] = convert(values[place])
        made: M = self._model.from_db(connection.alias, self._names, values)
        return made

    @cached_property
    def _converters(self) -> list[tuple[int, Converter]]:
        """Converts the database's values to Python's: SQLite has neither dates nor booleans. Most
        columns need no conversion.
        """
        found = [_converter_of(self.table, field) for field in self._fields]
        return [(place, convert) for place, convert in enumerate(found) if convert]


def execute(query: str, parameters: Sequence[Any]) -> int:
    """How many rows it changed."""
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        return int(cursor.rowcount)


def select(query: str, parameters: Sequence[Any]) -> list[Row]:
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        rows: list[Row] = cursor.fetchall()
    return rows


def for_update() -> str:
    """The end of a SELECT that locks its rows; SQLite's transactions lock the whole database."""
    return " FOR NO KEY UPDATE" if connection.features.has_select_for_no_key_update else ""


def _converter_of(table: str, field: Any) -> Converter | None:
    column = field.get_col(table.strip('"'))
    steps: Sequence[Any] = [
        *connection.ops.get_db_converters(column),
        *field.get_db_converters(connection),
    ]

    if not steps:
        return None

    def convert(value: Any) -> Any:
        for step in steps:
            value = step(value, column, connection)
        return value

    return convert
