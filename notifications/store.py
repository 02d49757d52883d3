"""The serving copy of notifications: a hash each, and for every user the newest, in order."""

from collections.abc import Collection, Sequence
from functools import partial
from typing import NamedTuple

from django.db import transaction

from redistools import keys, loaded_set
from redistools.client import fail_if_away, get_client
from redistools.loaded_set import Loaded
from redistools.scripts import Batch, Script
from relations.blocks_and_mutes import viewpoint
from statuses.visibility.predicate import VisibilityContext, reader_of
from users.rows import lock_accounts
from users.standing import suspension

from .models import Notification
from .rows import with_ids
from .stored import StoredNotification

# Older ones are in SQL.
SIZE = 400
DAY = 24 * 3600
# Like that of a status: nothing that Redis should have lost stays for ever.
LIFETIME = 7 * DAY

_put = Script(__file__, "put_notification")


class Position(NamedTuple):
    id: int
    position: int


class PositionPage(NamedTuple):
    """Newest first. Below `floor` there may be more, which only SQL knows."""

    positions: list[Position]
    floor: int


class Found(NamedTuple):
    notifications: list[StoredNotification]
    reader: VisibilityContext  # says of whom the recipient hears nothing


def write(batch: Batch, recipient_id: int, ids: Collection[int]) -> None:
    """Writes those with a row and removes the others. One query.

    The caller has locked the account of the recipient.
    """
    found = {row.pk: StoredNotification.of_row(row) for row in with_ids(recipient_id, ids)}
    key = keys.notifications(recipient_id)
    for stored in found.values():
        _write_hash(batch, stored)
        batch.call(_put, [key], loaded_set.put_arguments(stored.id, stored.position, cap=SIZE))
    if gone := set(ids) - found.keys():
        loaded_set.drop(batch, key, gone)
        for notification_id in gone:
            batch.add("UNLINK", keys.notification(notification_id))


def _write_hash(batch: Batch, stored: StoredNotification) -> None:
    key = keys.notification(stored.id)
    batch.add("HSET", key, *(part for field in stored.fields().items() for part in field))
    # Spread over a day: what was written together does not all expire at once.
    batch.add("EXPIRE", key, LIFETIME + stored.id % DAY)


def refresh(recipient_id: int, ids: Collection[int]) -> None:
    """Makes the copies equal to SQL. The account stays locked until Redis has answered: who changes
    a notification meanwhile refreshes after us. One round trip.
    """
    fail_if_away()
    with transaction.atomic():
        lock_accounts([recipient_id])
        batch = Batch(get_client())
        write(batch, recipient_id, ids)
        batch.run()


def newest(user_id: int, *, below: int | None, limit: int) -> PositionPage:
    """One round trip when known. Atomic, O(log n + limit)."""
    key, load = keys.notifications(user_id), partial(ensure, user_id)
    pairs, floor = loaded_set.scored_page(get_client(), key, load, below=below, limit=limit)
    return PositionPage([Position(*pair) for pair in pairs], floor)


def find(user_id: int, ids: Sequence[int]) -> Found:
    """In the order of the ids. One round trip; what Redis lacks is read from SQL and put back, and
    ids without a row are dropped.
    """
    batch = Batch(get_client())
    batch.add(*suspension.version_command())
    batch.add(*viewpoint.command(user_id))
    _add_reads(batch, ids)
    version, text, *hashes = batch.run()
    held = _held(ids, hashes)
    if missing := [it for it in ids if it not in held]:
        refresh(user_id, missing)
        batch = Batch(get_client())
        _add_reads(batch, missing)
        held |= _held(missing, batch.run())
    reader = reader_of(user_id, version, text)
    return Found([held[it] for it in ids if it in held], reader)


def _add_reads(batch: Batch, ids: Sequence[int]) -> None:
    for notification_id in ids:
        batch.add("HGETALL", keys.notification(notification_id))


def _held(ids: Sequence[int], hashes: Sequence[dict[str, str]]) -> dict[int, StoredNotification]:
    pairs = zip(ids, hashes, strict=True)
    return {id_: StoredNotification.of(fields) for id_, fields in pairs if fields}


def forget_hashes(ids: Collection[int]) -> None:
    batch = Batch(get_client())
    for notification_id in ids:
        batch.add("UNLINK", keys.notification(notification_id))
    batch.run()


def ensure(user_id: int) -> None:
    loaded_set.load(get_client(), keys.notifications(user_id), lambda: in_sql(user_id))


def in_sql(user_id: int, *, limit: int | None = None) -> Loaded:
    most = limit or SIZE
    rows = Notification.objects.filter(recipient_id=user_id).order_by("-position")
    pairs = list(rows.values_list("id", "position")[: most + 1])
    return Loaded(dict(pairs[:most]), whole=len(pairs) <= most)
