"""Counters on accounts and statuses: in SQL, but still copies, of the rows that they count."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Model

from lists.models import ListMember
from moderation.models import AccountWarning
from notifications.rows import unread_of
from redistools.serving_copy import Difference, Row, Store, register
from relations.models import Follow
from statuses.models import Like, Status
from statuses.reactions.counts import refresh_counts
from statuses.serving_copy import STATUSES
from users import store as users
from users.models import User
from users.rows import lock_accounts
from users.serving_copy import USERS

# Each counts the rows of a table by one of its columns.
Counted = Mapping[str, tuple[type[Model], str]]
# Counters by the row that they are on.
Counts = dict[int, dict[str, int]]
OF_USERS: Counted = {
    "followers_count": (Follow, "followee_id"),
    "following_count": (Follow, "follower_id"),
    "statuses_count": (Status, "author_id"),
    "listed_count": (ListMember, "user_id"),
    "unread_warnings": (AccountWarning, "account_id"),
}
OF_STATUSES: Counted = {
    "likes_count": (Like, "status_id"),
    "boosts_count": (Status, "boost_of_id"),
    "replies_count": (Status, "reply_to_id"),
}
# Of some tables not all rows count.
ONLY: dict[str, dict[str, Any]] = {"unread_warnings": {"acknowledged_at": None}}


@dataclass(frozen=True, kw_only=True)
class Counters(Store):
    right: Callable[[Sequence[Row]], Counts]
    reconcile: Callable[[int], object]  # sets the counters of one row to what they should be

    def differences(self, rows: Sequence[Row]) -> Iterator[Difference]:
        """One query for each counter of all rows."""
        right = self.right(rows)
        for row in rows:
            wrong = [name for name, count in right[row.pk].items() if getattr(row, name) != count]
            if wrong:
                pairs = [(name, getattr(row, name), right[row.pk][name]) for name in wrong]
                parts = [f"{name} {held} instead of {count}" for name, held, count in pairs]
                what = f"{self.title(row)}: {', '.join(parts)}"
                yield Difference(what, partial(self.reconcile, row.pk))


def right_for_users(users: Sequence[User]) -> Counts:
    counts = _counts_of(OF_USERS, users)
    for user in users:
        counts[user.pk]["unread_notifications"] = unread_of(user)
    return counts


def right_for_statuses(statuses: Sequence[Status]) -> Counts:
    return _counts_of(OF_STATUSES, statuses)


def _counts_of(counted: Counted, rows: Sequence[User] | Sequence[Status]) -> Counts:
    numbers = [row.pk for row in rows]
    found = {name: _count(*where, numbers, **ONLY.get(name, {})) for name, where in counted.items()}
    counted_at = found.items()
    return {it: {name: counts.get(it, 0) for name, counts in counted_at} for it in numbers}


def _count(table: type[Model], column: str, numbers: Sequence[int], **which: Any) -> dict[int, int]:
    rows = table._default_manager.filter(**{f"{column}__in": numbers}, **which)
    return dict(rows.order_by().values_list(column).annotate(Count("pk")))


def _reconcile_user(user_id: int) -> None:
    """Counts once more with the row locked, so that nothing it counts changes."""
    with transaction.atomic():
        for user in lock_accounts([user_id]).values():
            User.objects.filter(pk=user_id).update(**right_for_users([user])[user_id])
    users.refresh_users([user_id])


def _reconcile_status(status_id: int) -> None:
    """With a new version, so that Redis takes the counters for the newest."""
    with transaction.atomic():
        row = Status.objects.select_for_update(no_key=True).filter(pk=status_id)
        if status := row.first():
            right = right_for_statuses([status])[status_id]
            row.update(**right, counts_version=F("counts_version") + 1)
    refresh_counts([status_id])


for kind, about, right, reconcile in (
    ("user_counters", USERS, right_for_users, _reconcile_user),
    ("status_counters", STATUSES, right_for_statuses, _reconcile_status),
):
    register(
        Counters(
            kind=kind,
            label="counters",
            about=about,
            names=lambda _row: [],
            load=lambda _rows: None,
            right=right,
            reconcile=reconcile,
        )
    )
