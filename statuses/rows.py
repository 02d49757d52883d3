"""Statuses, by SQL that is built once (`web/ready_sql.py`)."""

from users.rows import COLUMNS as ACCOUNTS
from web.ready_sql import Columns, for_update, select

from .models import Status

COLUMNS = Columns(Status)
QUERY = (
    f"SELECT {COLUMNS.sql}, {ACCOUNTS.sql} FROM {COLUMNS.table} "  # noqa: S608 - no input
    f"JOIN {ACCOUNTS.table} ON {ACCOUNTS.table}.id = {COLUMNS.table}.author_id "
    f"WHERE {COLUMNS.table}.id = %s"
)


def read_status(status_id: int) -> Status | None:
    """With its author. One query."""
    return _first(QUERY, status_id)


def lock_status(status_id: int) -> Status | None:
    """The same, with both locked until the transaction ends."""
    return _first(QUERY + for_update(), status_id)


def _first(query: str, status_id: int) -> Status | None:
    for row in select(query, [status_id]):
        status = COLUMNS.object_of(row[: len(COLUMNS)])
        status.author = ACCOUNTS.object_of(row[len(COLUMNS) :])
        return status
    return None
