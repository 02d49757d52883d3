"""Accounts, by SQL that is built once (`web/ready_sql.py`)."""

from collections.abc import Collection

from web.ready_sql import Columns, execute, for_update, select

from .models import User

COLUMNS = Columns(User)
SELECT = f"SELECT {COLUMNS.sql} FROM {COLUMNS.table} WHERE {COLUMNS.table}.id"  # noqa: S608 - no input
NAMES = f"SELECT {COLUMNS.sql} FROM {COLUMNS.table} WHERE LOWER(username) IN"  # noqa: S608 - no input


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
    rows = select(f"{NAMES} ({places})", [name.lower() for name in names])
    return [COLUMNS.object_of(row) for row in rows]


def add_to(user_id: int, column: str, change: int) -> bool:
    """False if there is no such account. Locks its row until the transaction ends."""
    query = f'UPDATE {COLUMNS.table} SET "{column}" = "{column}" + %s WHERE id = %s'  # noqa: S608 - no input
    return bool(execute(query, [change, user_id]))
