"""Accounts, by SQL that is built once (`web/sql/ready_sql.py`)."""

from collections.abc import Collection
from typing import Literal

from django.db.models import F, QuerySet
from django.db.models.functions import Lower
from django.db.models.sql import Query
from django.utils.translation import gettext

from web.refusals import Refusal
from web.sql.ready_sql import Columns, Given, Row, numbered, ready, select, some, update

from .models import AccountGone, User

COLUMNS = Columns(User)
# What mentions are made of.
NAMES = Columns(User, "id", "username", "name", "date_joined")

Counter = Literal[
    "followers_count", "following_count", "statuses_count", "listed_count", "unread_warnings"
]


@ready
def _locked(count: int) -> QuerySet[User]:
    rows = User.objects.select_for_update(no_key=True).filter(pk__in=some(count))
    return rows.order_by("pk")


def lock_accounts(user_ids: Collection[int]) -> dict[int, User]:
    """One query, in the order of the ids: two transactions that lock the same never deadlock."""
    wanted = sorted(set(user_ids))
    if not wanted:
        return {}
    rows = select(_locked(len(wanted)), **numbered(wanted))
    users = [COLUMNS.object_of(row) for row in rows]
    return {user.pk: user for user in users}


@ready
def _named(count: int, columns: Columns[User]) -> QuerySet[User, Row]:
    rows = User.objects.alias(folded=Lower("username")).filter(folded__in=some(count))
    return rows.values_list(*columns.names)


def named(names: Collection[str], columns: Columns[User] = COLUMNS) -> list[User]:
    """One query."""
    if not names:
        return []
    rows = select(_named(len(names), columns), **numbered([name.lower() for name in names]))
    return [columns.object_of(row) for row in rows]


def lock_account(user: User) -> User:
    """As it is now: a limit that is checked then holds at the commit. Raises AccountGone."""
    locked = lock_accounts([user.pk])
    if user.pk not in locked:
        raise AccountGone
    return locked[user.pk]


def lock_pair(user: User, other_id: int) -> tuple[User, User]:
    """Who writes, and whom it is about, as they are now. Raises AccountGone or Refusal."""
    locked = lock_accounts([user.pk, other_id])
    if user.pk not in locked:
        raise AccountGone
    if other_id not in locked:
        raise Refusal(gettext("This account no longer exists."), code="gone")
    return locked[user.pk], locked[other_id]


@ready
def _counted(counter: Counter) -> Query:
    rows = User.objects.filter(pk=Given("id"))
    return update(rows, {counter: F(counter) + Given("change")}, returning=COLUMNS)


def change_counter(user_id: int, counter: Counter, change: int) -> Row | None:
    """In the transaction of what is counted, which locks the row. Returns the account's row as it
    is then; None without an account.
    """
    return next(iter(select(_counted(counter), id=user_id, change=change)), None)
