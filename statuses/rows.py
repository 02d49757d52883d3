"""Statuses, by SQL that is built once (`web/ready_sql.py`)."""

from redistools.ids import time_of
from users.rows import COLUMNS as ACCOUNTS
from web.ready_sql import Columns, Row, execute, select

from .models import Status

COLUMNS = Columns(Status)
QUERY = (
    f"SELECT {COLUMNS.sql}, {ACCOUNTS.sql} FROM {COLUMNS.table} "  # noqa: S608 - no input
    f"JOIN {ACCOUNTS.table} ON {ACCOUNTS.table}.id = {COLUMNS.table}.author_id "
    f"WHERE {COLUMNS.table}.id = %s"
)


def read_row(status_id: int) -> Row | None:
    """A status and its author, to compare. One query."""
    return next(iter(select(QUERY, [status_id])), None)


def status_in(row: Row) -> Status:
    """With its author."""
    status = COLUMNS.object_of(row[: len(COLUMNS)])
    status.author = ACCOUNTS.object_of(row[len(COLUMNS) :])
    return status


def insert_status(status: Status) -> None:
    """`save(force_insert=True)`. One statement."""
    status.created_at = time_of(status.pk)
    execute(COLUMNS.insert, COLUMNS.values_of(status))
    status._state.adding = False
