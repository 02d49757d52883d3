"""Who is named or answered: for each user the statuses about them, and the people they write to.

Both are loaded sets, and copies of the rows of `Mention`. A read takes one round trip when Redis
knows them; each write is atomic, O(log n).
"""

from collections.abc import Collection
from functools import partial
from typing import Any

from django.db.models import Exists, Max, OuterRef, QuerySet

from redistools import keys, loaded_set
from redistools.client import get_client
from redistools.exchange import Command
from redistools.loaded_set import IdPage, Loaded, Range
from redistools.scripts import Batch, Script
from statuses.models import Mention, Status, StatusQuerySet
from statuses.store import ids_loaded, read_ids

MENTIONS_SIZE = 800
ADDRESSEES = 100

_put_addressee = Script(__file__, "put_addressee")


def read(user_id: int, wanted: Range) -> IdPage:
    return read_ids(keys.mentions(user_id), wanted, partial(ensure, user_id))


def ensure(user_id: int) -> None:
    loaded_set.load(get_client(), keys.mentions(user_id), partial(newest_in_sql, user_id))


def newest_in_sql(user_id: int, *, limit: int | None = None) -> Loaded:
    return ids_loaded(in_sql(user_id), limit or MENTIONS_SIZE)


def in_sql(user_id: int) -> StatusQuerySet:
    return Status.objects.filter(mentions__user_id=user_id)


def put(batch: Batch, user_id: int, status_id: int) -> None:
    loaded_set.put(batch, keys.mentions(user_id), status_id, status_id, cap=MENTIONS_SIZE)


def drop(batch: Batch, user_id: int, status_ids: Collection[int]) -> None:
    loaded_set.drop(batch, keys.mentions(user_id), status_ids)


def forget_gone(user_id: int, status_ids: Collection[int]) -> None:
    batch = Batch(get_client())
    drop(batch, user_id, status_ids)
    batch.run()


def addressee_ids(author_id: int) -> list[int]:
    return addressees_and(author_id)[0]


def addressees_and(author_id: int, *commands: Command) -> tuple[list[int], list[Any]]:
    """Adds the answers to other commands, in the same round trip."""
    key = keys.addressees(author_id)
    newest = loaded_set.newest_members(key, below=None, limit=ADDRESSEES)

    def load(_unknown: list[str]) -> None:
        ensure_addressees(author_id)

    pairs, *answers = loaded_set.read(get_client(), [key], [newest, *commands], load)
    return [int(user_id) for user_id, _ in pairs], answers


def ensure_addressees(author_id: int) -> None:
    key = keys.addressees(author_id)
    loaded_set.load(get_client(), key, partial(addressees_in_sql, author_id))


def put_addressee(batch: Batch, author_id: int, user_id: int, status_id: int) -> None:
    """Keeps a newer status; a load that may have read an older one starts over. O(log n)."""
    arguments = loaded_set.put_arguments(user_id, status_id, cap=ADDRESSEES)
    batch.call(_put_addressee, [keys.addressees(author_id)], arguments)


def drop_addressee(batch: Batch, author_id: int, user_id: int) -> None:
    loaded_set.drop(batch, keys.addressees(author_id), [user_id])


def forget_addressees(batch: Batch, author_id: int) -> None:
    """Where a status goes, an older one counts; only SQL knows which. They are read again."""
    batch.add("UNLINK", keys.addressees(author_id))


def addressees_in_sql(author_id: int, *, limit: int | None = None) -> Loaded:
    most = limit or ADDRESSEES
    newest = list(newest_by_addressee(author_id)[: most + 1])
    return Loaded(dict(newest[:most]), whole=len(newest) <= most)


def newest_by_addressee(author_id: int) -> QuerySet[Mention, tuple[int, int]]:
    """Each user with the newest status about them, the latest first. Deleted statuses don't count;
    their rows are removed a little later.
    """
    exists = Exists(Status.objects.filter(pk=OuterRef("status_id")))
    rows = Mention.objects.filter(exists, author_id=author_id).values("user_id")
    by_user = rows.annotate(newest=Max("status_id")).order_by("-newest")
    return by_user.values_list("user_id", "newest")
