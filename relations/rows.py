"""Follows, and accounts to a viewer, by SQL that is built once (`web/sql/ready_sql.py`)."""

from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Lower
from django.db.models.sql import Query

from configuration.current import site
from users.models import User
from users.rows import COLUMNS as ACCOUNTS
from users.rows import change_counter
from web.sql.ready_sql import Given, Insert, Row, execute, ready, select

from .models import Block, Follow


@ready
def _insert() -> Query:
    ends = "follower_id", "followee_id"
    return Insert(Follow, "id", *ends, unless=ends)


@ready
def _edge() -> QuerySet[User, Row]:
    ends: list[Any] = [Given("follower"), Given("followee")]
    edge = Follow.objects.filter(follower_id=ends[0], followee_id=ends[1]).values("pk")
    accounts = User.objects.filter(pk__in=ends).order_by("pk")
    return accounts.values_list(*ACCOUNTS.names, Subquery(edge))


@ready
def _named() -> QuerySet[User]:
    blocks = Block.objects.filter(blocker_id=OuterRef("pk"), blocked_id=Given("viewer"))
    named = User.objects.alias(folded=Lower("username")).filter(folded=Given("name"))
    return named.exclude(Exists(blocks))


_FOLLOWERS = ACCOUNTS.names.index("followers_count")


class EdgeRow(NamedTuple):
    accounts: list[Row]
    follow_id: int | None


def named_to(viewer_id: int, name: str) -> list[User]:
    """The account of this name, in any case, unless it has blocked the viewer."""
    found = select(_named(), viewer=viewer_id, name=name.lower())
    return [ACCOUNTS.object_of(row) for row in found]


def begin_follow(follow_id: int, follower_id: int, followee_id: int) -> int | None:
    """Returns how many follow then; None if it is there already. Call with both accounts locked."""
    if not execute(_insert(), id=follow_id, follower_id=follower_id, followee_id=followee_id):
        return None
    return count_follow(follower_id, followee_id, +1)


def follows_too_many(follower: User) -> bool:
    return follower.following_count >= site().most_following


def count_follow(follower_id: int, followee_id: int, change: int) -> int:
    """Returns how many follow then. Both rows are locked already, so the order does not matter."""
    change_counter(follower_id, "following_count", change)
    row = change_counter(followee_id, "followers_count", change)
    return int(row[_FOLLOWERS]) if row else 0


def read_edge(follower_id: int, followee_id: int) -> EdgeRow:
    rows = select(_edge(), follower=follower_id, followee=followee_id)
    return EdgeRow([row[:-1] for row in rows], rows[0][-1] if rows else None)
