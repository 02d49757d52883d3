"""SQL that Django builds once: it takes longer to build a query than the database to run it.

For the few queries of every page and every write; docs/benchmarks.md has the figures. A function
makes the query, with `Given` where its values will stand, and `@ready` keeps the text:

    @ready
    def _by_author() -> QuerySet[Status]:
        return Status.objects.filter(author=Given("id"))

    select(_by_author(), id=5)
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from types import SimpleNamespace
from typing import Any, Generic, NamedTuple, ParamSpec, TypeVar, cast

from django.db import connection, models
from django.db.models import QuerySet
from django.db.models.expressions import Expression
from django.db.models.sql import DeleteQuery, InsertQuery, Query, UpdateQuery

M = TypeVar("M", bound=models.Model)
P = ParamSpec("P")
Converter = Callable[[Any], Any]
Row = tuple[Any, ...]

COUNTED = "SELECT COUNT(*) FROM ({}) AS counted"


class Given(Expression):
    """The place of a value that is known when the statement runs, as the database takes it."""

    def __init__(self, name: str) -> None:
        super().__init__(output_field=models.BigIntegerField())
        self.name = name

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:  # noqa: ARG002 - Django's
        return "%s", (self,)


def some(count: int) -> list[Any]:
    """Placeholders for this many values of an `IN`; `numbered` names them."""
    return [Given(f"value {number}") for number in range(count)]


def numbered(values: Sequence[Any]) -> dict[str, Any]:
    return {f"value {number}": value for number, value in enumerate(values)}


class Text(str):
    """SQL that comes again and again, so that a database may prepare it."""


class Ready(NamedTuple):
    sql: Text
    parameters: tuple[Any, ...]  # those that vary are `Given`

    def with_values(self, values: dict[str, Any]) -> list[Any]:
        return [values[it.name] if isinstance(it, Given) else it for it in self.parameters]


def ready(build: Callable[P, QuerySet[Any, Any] | Query]) -> Callable[P, Ready]:
    """Builds a statement once for each database and each of the function's arguments."""

    @cache
    def compiled(_vendor: str, *args: Any) -> Ready:
        made = build(*args)  # type: ignore[call-arg] # those of the caller
        query: Any = made.query if isinstance(made, QuerySet) else made
        built = query.get_compiler(connection=connection).as_sql()
        sql, parameters = built[0] if isinstance(query, Insert) else built
        return Ready(Text(sql + getattr(query, "end", "")), tuple(parameters))

    def of_this_database(*args: P.args, **_: P.kwargs) -> Ready:
        return compiled(connection.vendor, *args)

    return of_this_database


class Insert(InsertQuery):
    """A row of all columns, or of those with these names.

    `unless` there is one already that has the same in these: Django would also ignore a taken id.
    """

    def __init__(self, model: type[models.Model], *names: str, unless: Sequence[str] = ()) -> None:
        super().__init__(model)
        every = model._meta.concrete_fields
        fields = [field for field in every if field.attname in names] if names else every
        row: Any = SimpleNamespace(**{field.attname: Given(field.attname) for field in fields})
        self.insert_values(fields, [row], raw=True)
        self.end = f" ON CONFLICT ({', '.join(unless)}) DO NOTHING" if unless else ""


def update(
    rows: QuerySet[M], changes: Mapping[str, Any], *, returning: "Columns[M] | None" = None
) -> Query:
    """`returning` the rows as they are then, for `select`."""
    query: Any = rows.query.chain(UpdateQuery)
    query.add_update_values(changes)
    query.end = f" RETURNING {returning.sql}" if returning else ""
    return cast("Query", query)


def delete(rows: QuerySet[Any]) -> Query:
    return rows.query.chain(DeleteQuery)


def execute(statement: Ready, **values: Any) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement.sql, statement.with_values(values))
        return int(cursor.rowcount)


def execute_later(statement: Ready, **values: Any) -> None:
    """PostgreSQL gets it along with the next statement, or the commit, which raises its error."""
    cast("Any", connection).execute_later(statement.sql, statement.with_values(values))


def select(statement: Ready, **values: Any) -> list[Row]:
    return select_by(statement.sql, statement.with_values(values))


def count(statement: Ready, **values: Any) -> int:
    ((found,),) = select_by(COUNTED.format(statement.sql), statement.with_values(values))
    return int(found)


def select_by(sql: str, parameters: Sequence[Any]) -> list[Row]:
    """By what Django can't build, and is written out."""
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        rows: list[Row] = cursor.fetchall()
    return rows


class Columns(Generic[M]):
    """All columns of a table, or those with these names."""

    def __init__(self, model: type[M], *names: str) -> None:
        self._model = model
        self._fields = [
            it for it in model._meta.concrete_fields if it.attname in names or not names
        ]
        self.names = [field.attname for field in self._fields]
        self.sql = ", ".join(f'"{field.column}"' for field in self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def values_of(self, made: M) -> dict[str, Any]:
        return {
            field.attname: field.get_db_prep_save(field.pre_save(made, add=True), connection)
            for field in self._fields
        }

    def by_id(self, row_id: int) -> M | None:
        return next(map(self.object_of, select(_by_id(self._model), id=row_id)), None)

    def object_of(self, row: Sequence[Any]) -> M:
        values = list(row)
        for place, convert in self._converters:
            values[place] = convert(values[place])
        made: M = self._model.from_db(connection.alias, self.names, values)
        return made

    @cached_property
    def _converters(self) -> list[tuple[int, Converter]]:
        """From the database's values to Python's: SQLite has neither dates nor booleans."""
        found = [_converter_of(self._model._meta.db_table, field) for field in self._fields]
        return [(place, convert) for place, convert in enumerate(found) if convert]


@ready
def _by_id(model: type[models.Model]) -> QuerySet[Any]:
    return model._default_manager.filter(pk=Given("id"))


def _converter_of(table: str, field: Any) -> Converter | None:
    column = field.get_col(table)
    steps: list[Any] = list(connection.ops.get_db_converters(column))
    steps += field.get_db_converters(connection)
    if not steps:
        return None

    def convert(value: Any) -> Any:
        for step in steps:
            value = step(value, column, connection)
        return value

    return convert
