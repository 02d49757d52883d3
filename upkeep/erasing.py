"""What a deleted account leaves in Redis, trace by trace.

Whose keys hold traces was read from SQL before the account was deleted; see `upkeep/traces.py`.
Every function may run any number of times.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Literal

from lists import store as list_store
from lists.models import List
from notifications import store as notifications
from redistools import serving_copy
from redistools.chunks import chunks
from redistools.client import get_client
from redistools.scripts import Batch
from relations import store as edges
from statuses import store as statuses
from statuses.models import Status
from statuses.reactions.counts import refresh_counts
from statuses.removing.retraction import hide
from statuses.serving_copy import STATUSES
from timelines import pulled
from timelines.index import mentions
from users import store as users
from users.audience import Reach
from users.models import User
from users.serving_copy import USERS
from web.pages.page_versions import drop_all_pages_now

# Counters that one round trip writes.
COUNTED_AT_ONCE = 200
# Rows locked for one round trip; other writers get their turn before the next.
LOCKED_AT_ONCE = 100

Trace = Literal[
    "keys",
    "statuses",
    "statuses in homes",
    "public statuses",
    "counted",
    "answers",
    "mentions",
    "followers",
    "followees",
    "lists",
    "notifications",
]

STATUSES_BY_REACH: dict[Reach, Trace] = {
    Reach.NOBODY: "statuses",
    Reach.HOMES: "statuses in homes",
    Reach.EVERYBODY: "public statuses",
}


def erase(user_id: int, trace: Trace, ids: Sequence[int]) -> None:
    """`ids`: the account's statuses or notifications, statuses of others that it liked, boosted or
    answered, that answer or name it, the other users, or the lists that it was in.
    """
    ERASERS[trace](user_id, ids)
    drop_all_pages_now()


def _erase_keys(user_id: int, _ids: Sequence[int]) -> None:
    pulled.set_mode(user_id, None)
    serving_copy.forget(USERS, [User(pk=user_id)])


def _erase_statuses(user_id: int, status_ids: Sequence[int], *, reach: Reach) -> None:
    hide(user_id, status_ids, reach=reach)


def _refresh_counted(_user_id: int, status_ids: Sequence[int]) -> None:
    for part in chunks(status_ids, COUNTED_AT_ONCE):
        refresh_counts(part)


def _forget_answers(_user_id: int, status_ids: Sequence[int]) -> None:
    """They name whom they answer; the next reader makes them from SQL again."""
    serving_copy.forget(STATUSES, [Status(pk=status_id) for status_id in status_ids])


def _erase_mentions(user_id: int, status_ids: Sequence[int]) -> None:
    """What others said to them no longer leads to their profile."""
    authors = Status.objects.filter(pk__in=status_ids).values_list("author_id", flat=True)
    batch = Batch(get_client())
    for author_id in set(authors):
        mentions.drop_addressee(batch, author_id, user_id)
    batch.run()
    for some in chunks(status_ids, LOCKED_AT_ONCE):
        statuses.refresh_statuses(some)


def _erase_followers(user_id: int, follower_ids: Sequence[int]) -> None:
    _remove_edges((follower_id, user_id) for follower_id in follower_ids)
    users.refresh_users(follower_ids)


def _erase_followees(user_id: int, followee_ids: Sequence[int]) -> None:
    _remove_edges((user_id, followee_id) for followee_id in followee_ids)
    users.refresh_users(followee_ids)


def _remove_edges(pairs: Iterable[tuple[int, int]]) -> None:
    batch = Batch(get_client())
    for follower_id, followee_id in pairs:
        edges.write_edge(batch, follower_id, followee_id, None)
    batch.run()


def _erase_from_lists(user_id: int, list_ids: Sequence[int]) -> None:
    for list_ in List.objects.filter(pk__in=list_ids):
        list_store.refresh_edge(list_, user_id)


def _erase_notifications(_user_id: int, ids: Sequence[int]) -> None:
    notifications.forget_hashes(ids)


ERASERS: dict[Trace, Callable[[int, Sequence[int]], None]] = {
    "keys": _erase_keys,
    **{trace: partial(_erase_statuses, reach=it) for it, trace in STATUSES_BY_REACH.items()},
    "counted": _refresh_counted,
    "answers": _forget_answers,
    "mentions": _erase_mentions,
    "followers": _erase_followers,
    "followees": _erase_followees,
    "lists": _erase_from_lists,
    "notifications": _erase_notifications,
}
