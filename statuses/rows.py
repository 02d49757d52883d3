"""Statuses, by SQL that is built once (`web/sql/ready_sql.py`)."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models.expressions import RawSQL

from redistools.ids import time_of
from users.audience import Visibility
from users.models import User
from users.rows import COLUMNS as ACCOUNTS
from web.sql.ready_sql import Columns, Row, execute, for_update, select

from .models import Bookmark, Like, Status, StatusQuerySet

COLUMNS = Columns(Status)
COUNTERS = {
    place
    for place, field in enumerate(Status._meta.concrete_fields)
    if field.name in ("likes_count", "boosts_count", "replies_count", "counts_version")
}
ID, BOOST_OF = (
    [field.name for field in Status._meta.concrete_fields].index(name)
    for name in ("id", "boost_of")
)
DEEDS = {"likes": f'"{Like._meta.db_table}"', "bookmarks": f'"{Bookmark._meta.db_table}"'}
OWN_DEEDS = {
    deed: f"SELECT id FROM {table} WHERE user_id = %s AND status_id = %s"  # noqa: S608 - no input
    for deed, table in DEEDS.items()
} | {
    "boosts": f"SELECT id FROM {COLUMNS.table} WHERE author_id = %s AND boost_of_id = %s"  # noqa: S608 - no input
}
COUNTS = (
    "SELECT id, likes_count, boosts_count, replies_count, counts_version "  # noqa: S608 - no input
    f"FROM {COLUMNS.table}"
)
STATUSES = (
    f"SELECT {COLUMNS.sql}, {ACCOUNTS.sql}, answered.username FROM {COLUMNS.table} "  # noqa: S608 - no input
    f"JOIN {ACCOUNTS.table} ON {ACCOUNTS.table}.id = {COLUMNS.table}.author_id "
    f"LEFT JOIN {ACCOUNTS.table} answered ON answered.id = {COLUMNS.table}.reply_to_author_id"
)
QUERY = f"{STATUSES} WHERE {COLUMNS.table}.id = %s"
WITH_COUNTED = (
    f"{STATUSES} WHERE {COLUMNS.table}.id IN (%s, (SELECT COALESCE(one.reply_to_id, "  # noqa: S608 - no input
    f"one.boost_of_id) FROM {COLUMNS.table} one WHERE one.id = %s))"
)

# One short range of the index by author for each. Asked for the newest of all of them together, a
# database either reads everything that they ever said, or walks through what anybody says.
NEWEST_OF_EACH = {
    "postgresql": (
        f"SELECT author.id, newest.id FROM unnest(%s::bigint[]) AS author(id) CROSS JOIN LATERAL ("  # noqa: S608 - no input
        f"SELECT id FROM {COLUMNS.table} WHERE author_id = author.id "
        f"AND visibility < {Visibility.MENTIONED} ORDER BY id DESC LIMIT %s"
        ") AS newest ORDER BY newest.id DESC"
    ),
    "sqlite": (
        f"SELECT author.value, newest.id FROM json_each(%s) AS author "  # noqa: S608 - no input
        f"CROSS JOIN {COLUMNS.table} AS newest "
        f"WHERE newest.author_id = author.value AND newest.visibility < {Visibility.MENTIONED} "
        f"AND newest.id >= ifnull((SELECT id FROM {COLUMNS.table} WHERE author_id = author.value "
        f"AND visibility < {Visibility.MENTIONED} ORDER BY id DESC LIMIT 1 OFFSET %s"
        "), 0) ORDER BY newest.id DESC"
    ),
}


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
        return [value for place, value in enumerate(self.values) if place not in COUNTERS]

    @property
    def boost_of(self) -> int | None:
        boosted: int | None = self.values[BOOST_OF]
        return boosted

    @property
    def status(self) -> Status:
        """With its names (`StatusQuerySet.with_names`)."""
        status = COLUMNS.object_of(self.values[: len(COLUMNS)])
        status.author = ACCOUNTS.object_of(self.values[len(COLUMNS) : -1])
        if username := self.values[-1]:
            status.reply_to_author = User(pk=status.reply_to_author_id, username=username)
        return status


def read_row(status_id: int) -> StatusRow | None:
    """One query."""
    return next((StatusRow(row) for row in select(QUERY, [status_id])), None)


def read_with_counted(status_id: int) -> tuple[StatusRow | None, StatusRow | None]:
    """The status, and the one that it answers or boosts, whose counters include it. One query."""
    rows = {row[ID]: StatusRow(row) for row in select(WITH_COUNTED, [status_id, status_id])}
    return rows.pop(status_id, None), next(iter(rows.values()), None)


def change_count(status_id: int, column: str, change: int) -> bool:
    """Of likes, boosts or replies; False if there is no such status. One statement, which locks the
    row until the transaction ends.
    """
    query = (
        f'UPDATE {COLUMNS.table} SET "{column}" = "{column}" + %s, '  # noqa: S608 - no input
        "counts_version = counts_version + 1 WHERE id = %s"
    )
    return bool(execute(query, [change, status_id]))


def lock_status(status_id: int) -> bool:
    """Until the transaction ends; False if there is no such status. One statement."""
    query = f"SELECT id FROM {COLUMNS.table} WHERE id = %s{for_update()}"  # noqa: S608 - no input
    return bool(select(query, [status_id]))


def insert_deed(deed: str, row_id: int, user_id: int, status_id: int) -> bool:
    """A like or a bookmark; False if it is there already. One statement."""
    query = (
        f"INSERT INTO {DEEDS[deed]} (id, user_id, status_id) VALUES (%s, %s, %s) "  # noqa: S608 - no input
        "ON CONFLICT (user_id, status_id) DO NOTHING"
    )
    return bool(execute(query, [row_id, user_id, status_id]))


def delete_deed(deed: str, user_id: int, status_id: int) -> bool:
    """False if there is none. One statement."""
    query = f"DELETE FROM {DEEDS[deed]} WHERE user_id = %s AND status_id = %s"  # noqa: S608 - no input
    return bool(execute(query, [user_id, status_id]))


def deed_id(deed: str, user_id: int, status_id: int) -> int | None:
    """Of a like, a boost or a bookmark. One query."""
    query = OWN_DEEDS[deed]
    return next((row_id for (row_id,) in select(query, [user_id, status_id])), None)


def counters_of(status_ids: Collection[int]) -> Sequence[Row]:
    """Ids and counters, in the order of `Counts`. One query."""
    places = ", ".join(["%s"] * len(status_ids))
    return select(f"{COUNTS} WHERE id IN ({places})", list(status_ids)) if status_ids else []


def insert_status(status: Status) -> None:
    """`save(force_insert=True)`. One statement."""
    status.created_at = time_of(status.pk)
    execute(COLUMNS.insert, COLUMNS.values_of(status))
    status._state.adding = False


def newest_of_each(author_ids: Collection[int], take: int) -> dict[int, list[int]]:
    """The ids of what each of these authors said last, the newest first. One query."""
    found: dict[int, list[int]] = {author_id: [] for author_id in author_ids}
    if connection.vendor == "postgresql":
        parameters: list[Any] = [list(found), take]
    else:
        parameters = [json.dumps(list(found)), take - 1]
    for author_id, status_id in select(NEWEST_OF_EACH[connection.vendor], parameters):
        found[author_id].append(status_id)
    return found


def first_of_each(
    rows: StatusQuerySet, author_ids: Collection[int], take: int
) -> dict[int, list[int]]:
    """The ids of the first of these rows by each author, in any order. One query, on PostgreSQL."""
    of_one = rows.filter(author_id=RawSQL("author.id", [])).values_list("id")[:take]
    query, parameters = of_one.query.sql_with_params()
    found: dict[int, list[int]] = {author_id: [] for author_id in author_ids}
    for author_id, status_id in select(
        "SELECT author.id, first.id FROM unnest(%s::bigint[]) AS author(id) "  # noqa: S608 - no input
        f"CROSS JOIN LATERAL ({query}) AS first(id)",
        [list(found), *parameters],
    ):
        found[author_id].append(status_id)
    return found
