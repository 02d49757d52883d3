"""Notifications, by SQL that is built once (`web/sql/ready_sql.py`)."""

from collections.abc import Collection, Sequence
from functools import reduce
from operator import or_

from django.db.models import Q, QuerySet
from django.db.models.sql import Query

from users.models import User
from web.sql.ready_sql import (
    Columns,
    Given,
    Insert,
    Row,
    count,
    execute,
    numbered,
    ready,
    select,
    select_by,
    some,
    update,
)

from .grouping.kinds import Group, Kind
from .models import Notification

COLUMNS = Columns(Notification)
# Beyond that people read "99+".
MOST_UNREAD = 100
GROUP = ("recipient_id", "kind", "subject")
SAID = ("position", "count", "actors", "arrived", "read_to")
# One range of an index for each kind: all kinds at once would have to be sorted.
OF_ONE_KIND = """
    SELECT * FROM (
        SELECT id, recipient_id, kind, subject, position, count, actors, arrived, read_to
        FROM notifications_notification
        WHERE recipient_id = %s AND kind = %s AND position < %s ORDER BY position DESC LIMIT %s
    ) AS of_one_kind
"""


def of_kinds(user_id: int, kinds: Sequence[Kind], *, below: int, limit: int) -> list[Notification]:
    query = f"{' UNION ALL '.join([OF_ONE_KIND] * len(kinds))} ORDER BY position DESC LIMIT %s"
    values = [value for kind in kinds for value in (user_id, kind, below, limit)]
    return [COLUMNS.object_of(row) for row in select_by(query, [*values, limit])]


@ready
def _with_ids(number: int) -> QuerySet[Notification]:
    rows = Notification.objects.filter(recipient_id=Given("recipient"), pk__in=some(number))
    return rows.order_by("-position")


def with_ids(recipient_id: int, ids: Collection[int]) -> list[Notification]:
    """Of nobody else: an id may have come from anywhere. The newest first. One query."""
    if not ids:
        return []
    rows = select(_with_ids(len(ids)), recipient=recipient_id, **numbered(list(ids)))
    return [COLUMNS.object_of(row) for row in rows]


@ready
def _of_groups(number: int) -> QuerySet[Notification]:
    values = some(len(GROUP) * number)
    each = [Q(**dict(zip(GROUP, values[place::number], strict=True))) for place in range(number)]
    return Notification.objects.filter(reduce(or_, each))


def of_groups(groups: Collection[Group]) -> dict[Group, Notification]:
    if not groups:
        return {}
    values = [value for column in zip(*groups, strict=True) for value in column]
    found = select(_of_groups(len(groups)), **numbered(values))
    return {row.group: row for row in map(COLUMNS.object_of, found)}


@ready
def _written() -> Query:
    insert = Insert(Notification, *GROUP, *SAID)
    changes = ", ".join(f"{name} = excluded.{name}" for name in SAID)
    insert.end = f" ON CONFLICT ({', '.join(GROUP)}) DO UPDATE SET {changes} RETURNING id"
    return insert


def write(row: Notification) -> None:
    values = COLUMNS.values_of(row)
    del values["id"]
    ((row.pk,),) = select(_written(), **values)


@ready
def _arrivals() -> QuerySet[Notification, Row]:
    own = Notification.objects.filter(recipient_id=Given("recipient"))
    return own.order_by("-arrived").values_list("arrived")[:1]


def newest_arrival(account: User) -> int:
    """Of what is there, and of what was seen and may be gone. One query."""
    found = select(_arrivals(), recipient=account.pk)
    return max(account.notifications_seen, *(int(arrived) for (arrived,) in found), 0)


@ready
def _unread() -> QuerySet[Notification, Row]:
    own = Notification.objects.filter(recipient_id=Given("recipient"), arrived__gt=Given("seen"))
    return own.values_list("pk")[:MOST_UNREAD]


def unread_of(account: User) -> int:
    return count(_unread(), recipient=account.pk, seen=account.notifications_seen)


@ready
def _account() -> Query:
    changes = {name: Given(name) for name in ("unread_notifications", "notifications_seen")}
    return update(User.objects.filter(pk=Given("id")), changes)


def write_unread(account: User) -> None:
    """Under the lock of the account: how many came since it last looked. Two statements."""
    account.unread_notifications = unread_of(account)
    execute(
        _account(),
        id=account.pk,
        unread_notifications=account.unread_notifications,
        notifications_seen=account.notifications_seen,
    )
