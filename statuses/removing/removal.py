"""Taking a status out of SQL: its row at once, what belongs to it later, some at a time."""

from collections.abc import Iterator

from django.db import transaction
from django.db.models import Exists, Model

from redistools.chunks import chunks
from users.rows import change_counter, lock_accounts

from ..models import Bookmark, Gap, Like, Mention, Status, StatusVersion, Tagging
from ..rows import change_count

# Rows of a table that one transaction removes; other writers get their turn before the next.
PART = 200
BELONGINGS: tuple[type[Model], ...] = (Like, Bookmark, Mention, Tagging, StatusVersion)


def remove_row(*, author_id: int, **which: int) -> Status | None:
    """Removes a status of this author, and what counts it, inside a transaction. Returns the row
    with its author, or None if it is gone.

    Locks the account first, then statuses, newer before older: as when it is posted.
    """
    locked = lock_accounts([author_id])
    row = Status.objects.select_for_update(no_key=True).filter(author_id=author_id, **which).first()
    if row is None:
        return None
    row.author = locked[author_id]
    Status.objects.filter(pk=row.pk).delete()
    change_counter(author_id, "statuses_count", -1)
    if row.replies_count or Gap.objects.filter(reply_to_id=row.pk).exists():
        Gap.objects.create(pk=row.pk, reply_to_id=row.reply_to_id)
    if row.reply_to_id is not None:
        change_count(row.reply_to_id, "replies_count", -1)
    if row.boost_of_id is not None:
        change_count(row.boost_of_id, "boosts_count", -1)
    return row


def close_gaps(status_id: int) -> None:
    """Removes a gap with nothing below it any more, and then perhaps the one above it.

    Each is removed by one statement that sees all replies at one moment, so of two simultaneous
    deletions the later one finds the gap empty.
    """
    above: int | None = status_id
    while above and (gap := Gap.objects.filter(pk=above).first()) and _close(gap):
        above = gap.reply_to_id


def _close(gap: Gap) -> bool:
    replies = [Exists(table._default_manager.filter(reply_to_id=gap.pk)) for table in (Status, Gap)]
    deleted, _ = Gap.objects.filter(~replies[0], ~replies[1], pk=gap.pk).delete()
    return bool(deleted)


def remove_belongings(status_id: int) -> None:
    while found := _some_belongings(status_id):
        with transaction.atomic():
            for table, ids in found.items():
                table._default_manager.filter(pk__in=ids).delete()


def _some_belongings(status_id: int) -> dict[type[Model], list[int]]:
    found = {
        table: list(
            table._default_manager.filter(status_id=status_id)
            .order_by("pk")
            .values_list("pk", flat=True)[:PART]
        )
        for table in BELONGINGS
    }
    return {table: ids for table, ids in found.items() if ids}


def boosts_of(status_id: int) -> Iterator[list[tuple[int, int]]]:
    """Pairs of id and author, ordered by author: accounts are locked in this order."""
    rows = Status.objects.filter(boost_of_id=status_id).order_by("author_id")
    yield from chunks(list(rows.values_list("pk", "author_id")), PART)
