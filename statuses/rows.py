"""Statuses, by SQL that is built once (`web/sql/ready_sql.py`)."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Exists, F, QuerySet, Subquery
from django.db.models.expressions import RawSQL
from django.db.models.functions import Coalesce
from django.db.models.sql import Query

from redistools.ids import time_of
from users.audience import Visibility
from users.models import User
from users.rows import COLUMNS as ACCOUNTS
from web.sql.ready_sql import (
    Columns,
    Given,
    Insert,
    Row,
    execute,
    execute_later,
    numbered,
    ready,
    select,
    select_by,
    some,
    update,
)

from .models import Status, StatusQuerySet

COLUMNS = Columns(Status)
COUNTS = ("likes_count", "boosts_count", "replies_count", "counts_version")
# Counters have versions of their own, and a status's time follows from its id.
NOT_COMPARED = {COLUMNS.names.index(name) for name in (*COUNTS, "created_at")}
ID, AUTHOR, BOOST_OF = map(COLUMNS.names.index, ("id", "author_id", "boost_of_id"))

# One short range of the index by author for each. Asked for the newest of all of them together, a
# database either reads everything that they ever said, or walks through what anybody says.
NEWEST_OF_EACH = {
    "postgresql": """
        SELECT author.id, newest.id FROM unnest(%s::bigint[]) AS author(id) CROSS JOIN LATERAL (
            SELECT id FROM statuses_status WHERE author_id = author.id AND visibility < %s
            ORDER BY id DESC LIMIT %s
        ) AS newest ORDER BY newest.id DESC
    """,
    "sqlite": """
        SELECT author.value, newest.id FROM json_each(%s) AS author
        CROSS JOIN statuses_status AS newest
        WHERE newest.author_id = author.value AND newest.visibility < %s AND newest.id >= ifnull((
            SELECT id FROM statuses_status WHERE author_id = author.value AND visibility < %s
            ORDER BY id DESC LIMIT 1 OFFSET %s
        ), 0) ORDER BY newest.id DESC
    """,
}
FIRST_OF_EACH = """
    SELECT author.id, first.id FROM unnest(%s::bigint[]) AS author(id)
    CROSS JOIN LATERAL ({of_one}) AS first(id)
"""


@dataclass(frozen=True, eq=False)
class StatusRow:
    """A status, its author and the name of the account that it answers. Two are equal if nothing
    changed but the counters of the status, which have versions of their own.
    """

    values: Row

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StatusRow) and self._compared() == other._compared()

    def __hash__(self) -> int:
        return hash(tuple(self._compared()))

    def _compared(self) -> Sequence[Any]:
        return [value for place, value in enumerate(self.values) if place not in NOT_COMPARED]

    @property
    def author_id(self) -> int:
        return int(self.values[AUTHOR])

    @property
    def boost_of(self) -> int | None:
        boosted: int | None = self.values[BOOST_OF]
        return boosted

    @property
    def status(self) -> Status:
        status = COLUMNS.object_of(self.values[: len(COLUMNS)])
        status.author = ACCOUNTS.object_of(self.values[len(COLUMNS) : -1])
        if username := self.values[-1]:
            status.reply_to_author = User(pk=status.reply_to_author_id, username=username)
        return status


def _with_author() -> QuerySet[Status, Row]:
    of_author = [f"author__{name}" for name in ACCOUNTS.names]
    return Status.objects.values_list(*COLUMNS.names, *of_author, "reply_to_author__username")


@ready
def _row() -> QuerySet[Status, Row]:
    return _with_author().filter(pk=Given("id"))


def read_row(status_id: int) -> StatusRow | None:
    return next((StatusRow(row) for row in select(_row(), id=status_id)), None)


@ready
def _row_with_counted() -> QuerySet[Status, Row]:
    counted = Status.objects.filter(pk=Given("id")).values_list(Coalesce("reply_to", "boost_of"))
    return _with_author().filter(pk__in=[Given("id"), Subquery(counted)])


@ready
def _rows(count: int) -> QuerySet[Status, Row]:
    return _with_author().filter(pk__in=some(count)).order_by("-pk")


@ready
def _locked(count: int) -> QuerySet[Status, Row]:
    rows = Status.objects.select_for_update(no_key=True).filter(pk__in=some(count))
    return rows.order_by("-pk").values_list("pk")


def read_rows(status_ids: Collection[int], *, lock: bool) -> list[StatusRow]:
    """Skips those that are gone. One query; another, which goes along, locks them until the
    transaction ends, the newer before the older, as everywhere.
    """
    if not status_ids:
        return []
    count, values = len(status_ids), numbered(list(status_ids))
    if lock:
        execute_later(_locked(count), **values)
    return [StatusRow(row) for row in select(_rows(count), **values)]


@ready
def _version() -> QuerySet[Status, Row]:
    return Status.objects.filter(pk=Given("id")).values_list("changed_at")


NEVER_CHANGED: Sequence[Row] = [(None,)]


def version_of(status_id: int) -> Sequence[Row]:
    """Differs after each change; empty if the status is gone. One query."""
    return select(_version(), id=status_id)


@ready
def _author_of_unchanged() -> QuerySet[User, Row]:
    unchanged = Status.objects.filter(pk=Given("id"), changed_at=None)
    return User.objects.filter(Exists(unchanged), pk=Given("author")).values_list(*ACCOUNTS.names)


def is_as_posted(row: StatusRow) -> bool:
    """Whether a status and its author are still as they were when it was posted. One query, which
    costs PostgreSQL half of `read_row`.
    """
    found = select(_author_of_unchanged(), id=row.values[ID], author=row.author_id)
    return found == [row.values[len(COLUMNS) : -1]]


def read_with_counted(status_id: int) -> tuple[StatusRow | None, StatusRow | None]:
    """The status, and the one that it answers or boosts, whose counters include it. One query."""
    rows = {row[ID]: StatusRow(row) for row in select(_row_with_counted(), id=status_id)}
    return rows.pop(status_id, None), next(iter(rows.values()), None)


@ready
def _counted(column: str) -> Query:
    changes = {column: F(column) + Given("change"), "counts_version": F("counts_version") + 1}
    return update(Status.objects.filter(pk=Given("id")), changes)


def change_count(status_id: int, column: str, change: int) -> bool:
    """Returns False if there is no such status. One statement, which locks the row until the
    transaction ends.
    """
    return bool(execute(_counted(column), id=status_id, change=change))


def lock_status(status_id: int) -> bool:
    """Returns False if there is no such status. One statement."""
    return bool(select(_locked(1), **numbered([status_id])))


@ready
def _counters(count: int) -> QuerySet[Status, Row]:
    return Status.objects.filter(pk__in=some(count)).values_list("pk", *COUNTS)


def counters_of(status_ids: Collection[int]) -> Sequence[Row]:
    """Ids and counters, in the order of `Counts`. One query."""
    ids = list(status_ids)
    return select(_counters(len(ids)), **numbered(ids)) if ids else []


@ready
def _inserted() -> Query:
    return Insert(Status)


def insert_status(status: Status) -> Row:
    """`save(force_insert=True)`, but the next statement or the commit raises its IntegrityError.
    Returns the row. One statement.
    """
    status.created_at = time_of(status.pk)
    values = COLUMNS.values_of(status)
    execute_later(_inserted(), **values)
    status._state.adding = False
    # As a query gives it: psycopg wraps numbers by the size of their column.
    return tuple(
        it if type(it) is bool or not isinstance(it, int) else int(it) for it in values.values()
    )


def newest_of_each(author_ids: Collection[int], take: int) -> dict[int, list[int]]:
    """Newest first. One query."""
    found: dict[int, list[int]] = {author_id: [] for author_id in author_ids}
    if connection.vendor == "postgresql":
        parameters: list[Any] = [list(found), Visibility.MENTIONED, take]
    else:
        below = [Visibility.MENTIONED] * 2
        parameters = [json.dumps(list(found)), *below, take - 1]
    for author_id, status_id in select_by(NEWEST_OF_EACH[connection.vendor], parameters):
        found[author_id].append(status_id)
    return found


def first_of_each(
    rows: StatusQuerySet, author_ids: Collection[int], take: int
) -> dict[int, list[int]]:
    """In any order. One query, on PostgreSQL."""
    of_one = rows.filter(author_id=RawSQL("author.id", [])).values_list("id")[:take]
    query, parameters = of_one.query.sql_with_params()
    found: dict[int, list[int]] = {author_id: [] for author_id in author_ids}
    sql = FIRST_OF_EACH.format(of_one=query)
    for author_id, status_id in select_by(sql, [list(found), *parameters]):
        found[author_id].append(status_id)
    return found
