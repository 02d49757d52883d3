"""The counters on accounts: in SQL, but still copies, of the rows that they count."""

from collections.abc import Iterator, Sequence
from functools import partial

from django.db.models import Count, Model

from lists.models import ListMember
from notifications.record import unread_of
from redistools.serving_copy import Difference, Store, register
from relations.models import Follow
from statuses.models import Status
from users import store as users
from users.models import User
from users.serving_copy import USERS

# Each counts the rows of a table by one of its columns.
COUNTED: dict[str, tuple[type[Model], str]] = {
    "followers_count": (Follow, "followee_id"),
    "following_count": (Follow, "follower_id"),
    "statuses_count": (Status, "author_id"),
    "listed_count": (ListMember, "user_id"),
}


class Counters(Store):
    def differences(self, rows: Sequence[User]) -> Iterator[Difference]:
        """One query for each counter of all rows, and one for each row's unread notifications."""
        counted = {name: _count(name, rows) for name in COUNTED}
        counted["unread_notifications"] = {user.pk: unread_of(user) for user in rows}
        for user in rows:
            right = {name: counts.get(user.pk, 0) for name, counts in counted.items()}
            wrong = {name: count for name, count in right.items() if getattr(user, name) != count}
            if wrong:
                parts = [f"{name} {getattr(user, name)} instead of {wrong[name]}" for name in wrong]
                what = f"{self.title(user)}: {', '.join(parts)}"
                yield Difference(what, partial(_set_counters, user, wrong))


def _count(counter: str, rows: Sequence[User]) -> dict[int, int]:
    table, column = COUNTED[counter]
    counted = table._default_manager.filter(**{f"{column}__in": [user.pk for user in rows]})
    return dict(counted.order_by().values_list(column).annotate(Count("pk")))


def _set_counters(user: User, counters: dict[str, int]) -> None:
    User.objects.filter(pk=user.pk).update(**counters)
    users.refresh_users([user.pk])


register(Counters(kind="counters", about=USERS, names=lambda _user: [], load=lambda _rows: None))
