"""Accounts, by SQL that is built once (`web/sql/ready_sql.py`)."""

from collections.abc import Collection
from typing import Literal

from web.sql.ready_sql import Columns, execute, for_update, select

from .models import AccountGone, User

COLUMNS = Columns(User)
SELECT = f"SELECT {COLUMNS.sql} FROM {COLUMNS.table} WHERE {COLUMNS.table}.id"  # noqa: S608 - no input
NAMED = f"SELECT {COLUMNS.sql} FROM {COLUMNS.table} WHERE LOWER(username) IN"  # noqa: S608 - no input

Counter = Literal[
    "followers_count", "following_count", "statuses_count", "listed_count", "unread_warnings"
]


def account(user_id: int) -> User | None:
    """One query."""
    return next((COLUMNS.object_of(row) for row in select(f"{SELECT} = %s", [user_id])), None)


def lock_accounts(user_ids: Collection[int]) -> dict[int, User]:
    """Until the transaction ends. One query, in the order of the ids, so that two transactions
    that lock the same accounts never deadlock.
    """
    wanted = sorted(set(user_ids))
    if not wanted:
        return {}
    places = ", ".join(["%s"] * len(wanted))
    rows = select(f"{SELECT} IN ({places}) ORDER BY {COLUMNS.table}.id{for_update()}", wanted)
    users = [COLUMNS.object_of(row) for row in rows]
    return {user.pk: user for user in users}


def named(names: Collection[str]) -> list[User]:
    """Those who exist; `User.objects.named` says how. One query."""
    if not names:
        return []
    places = ", ".join(["%s"] * len(names))
    rows = select(f"{NAMED} ({places})", [name.lower() for name in names])
    return [COLUMNS.object_of(row) for row in rows]


def lock_account(user: User) -> None:
    """Inside a transaction: until it ends, nobody else changes or deletes what the account has, so
    a limit that is checked now still holds at the commit. Raises AccountGone.
    """
    if user.pk not in lock_accounts([user.pk]):
        raise AccountGone


def change_counter(user_id: int, counter: Counter, change: int) -> bool:
    """In the transaction of what is counted. False if there is no such account. Locks its row until
    the transaction ends.
    """
    query = f'UPDATE {COLUMNS.table} SET "{counter}" = "{counter}" + %s WHERE id = %s'  # noqa: S608 - no input
    return bool(execute(query, [change, user_id]))
