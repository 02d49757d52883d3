"""Statuses, by SQL that is built once (`web/ready_sql.py`)."""

from redistools.ids import time_of
from users.models import User
from users.rows import COLUMNS as ACCOUNTS
from web.ready_sql import Columns, Row, execute, select

from .models import Status

COLUMNS = Columns(Status)
QUERY = (
    f"SELECT {COLUMNS.sql}, {ACCOUNTS.sql}, answered.username FROM {COLUMNS.table} "  # noqa: S608 - no input
    f"JOIN {ACCOUNTS.table} ON {ACCOUNTS.table}.id = {COLUMNS.table}.author_id "
    f"LEFT JOIN {ACCOUNTS.table} answered ON answered.id = {COLUMNS.table}.reply_to_author_id "
    f"WHERE {COLUMNS.table}.id = %s"
)


def read_row(status_id: int) -> Row | None:
    """A status, its author and the name of the account that it answers, to compare. One query."""
    return next(iter(select(QUERY, [status_id])), None)


def status_in(row: Row) -> Status:
    """With its names (`StatusQuerySet.with_names`)."""
    status = COLUMNS.object_of(row[: len(COLUMNS)])
    status.author = ACCOUNTS.object_of(row[len(COLUMNS) : -1])
    if row[-1]:
        status.reply_to_author = User(pk=status.reply_to_author_id, username=row[-1])
    return status


def insert_status(status: Status) -> None:
    """`save(force_insert=True)`. One statement."""
    status.created_at = time_of(status.pk)
    execute(COLUMNS.insert, COLUMNS.values_of(status))
    status._state.adding = False
