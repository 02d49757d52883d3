"""Follows by SQL that is built once (`web/sql/ready_sql.py`)."""

from typing import NamedTuple

from django.conf import settings

from users.models import User
from users.rows import COLUMNS as ACCOUNTS
from users.rows import change_counter
from web.sql.ready_sql import Row, execute, select

from .models import Follow

TABLE = f'"{Follow._meta.db_table}"'
INSERT = (
    f"INSERT INTO {TABLE} (id, follower_id, followee_id) "  # noqa: S608 - no input
    "VALUES (%s, %s, %s) ON CONFLICT (follower_id, followee_id) DO NOTHING"
)
QUERY = (
    f"SELECT {ACCOUNTS.sql}, edge.id FROM {ACCOUNTS.table} "  # noqa: S608 - no input
    f"LEFT JOIN {TABLE} edge ON edge.follower_id = %s AND edge.followee_id = %s "
    f"WHERE {ACCOUNTS.table}.id IN (%s, %s) ORDER BY {ACCOUNTS.table}.id"
)


class EdgeRow(NamedTuple):
    """Two accounts as far as they exist, and the follow of the one by the other."""

    accounts: list[Row]
    follow_id: int | None


def begin_follow(follow_id: int, follower_id: int, followee_id: int) -> bool:
    """False if it is there already. Inside a transaction that has locked both accounts."""
    if not execute(INSERT, [follow_id, follower_id, followee_id]):
        return False
    count_follow(follower_id, followee_id, +1)
    return True


def follows_too_many(follower: User) -> bool:
    """May they follow nobody else?"""
    return follower.following_count >= settings.MAX_FOLLOWING


def count_follow(follower_id: int, followee_id: int, change: int) -> None:
    """Both rows are locked already, so the order does not matter."""
    change_counter(follower_id, "following_count", change)
    change_counter(followee_id, "followers_count", change)


def read_edge(follower_id: int, followee_id: int) -> EdgeRow:
    """One query."""
    rows = select(QUERY, [follower_id, followee_id, follower_id, followee_id])
    return EdgeRow([row[:-1] for row in rows], rows[0][-1] if rows else None)
