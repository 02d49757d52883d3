"""The outbox: tasks that are queued if, and only if, the caller's transaction commits.

The row shares the fate of the caller's transaction. After the commit the task is relayed to Redis
under the row's id, and the row is marked as done, in Redis too: removing it would sync the disk
once more. Workers relay rows without a mark, whose process died in between, and remove marked ones
in bulk. A lost mark only means that a task is relayed twice, which queues it once: the queue knows
its id while it waits, runs or is kept as failed, and for RESULT_TTL after it is done. A mark that
Redis still has proves that it has the work too (`taskqueue/recovery/marks.py`): if Redis loses its
newest moments, the rows without a mark are those to repeat.
"""

import uuid
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache
from itertools import groupby
from operator import attrgetter
from typing import Any

from django.db import connection
from django.db.models.sql import InsertQuery
from django.utils import timezone
from django_tasks import TaskResult
from django_tasks.base import TASK_MIN_PRIORITY

from .backend import Call, get_backend
from .models import OutboxEntry
from .once import forget_old_notes
from .recovery.marks import done_among, forget_old, life_of_marks, mark_done
from .recovery.unfinished import longest_wait, unfinished_among
from .store import Message

# A row younger than this is most likely about to be relayed by the process that wrote it.
PATIENCE = timedelta(seconds=5)
# Rows stay for a while after their work is done, so that it can be repeated should Redis turn out
# to have lost its newest moments; and for as long as their tasks, or what these queued, wait.
DONE_ROWS_KEPT = timedelta(minutes=3)
# Less than marks are kept for.
LONGEST_BACKLOG = timedelta(minutes=6)
SWEEP_SIZE = 500
# SQLite takes some 1,000 parameters.
INSERTED_AT_ONCE = 100

FIELDS = OutboxEntry._meta.concrete_fields


def write_entries(calls: Iterable[Call]) -> tuple[list[OutboxEntry], list[TaskResult[Any]]]:
    """Inside the caller's transaction: one INSERT."""
    entries, results = [], []
    for call in calls:
        backend = get_backend(call.task.backend)
        message, result = backend.prepare(call)
        results.append(result)
        entries.append(
            OutboxEntry(
                id=uuid.UUID(message.id),
                backend=backend.alias,
                queue_name=message.queue_name,
                body=message.body,
                priority=message.priority,
                run_after=message.run_after,
                unique_key=message.unique_key,
            )
        )
    _insert(entries)
    return entries, results


def _insert(entries: list[OutboxEntry]) -> None:
    """A single entry goes along with the commit, by SQL that is built once: building it takes
    longer than running it.
    """
    if len(entries) != 1:
        OutboxEntry.objects.bulk_create(entries, batch_size=INSERTED_AT_ONCE)
        return
    values = [it.get_db_prep_save(getattr(entries[0], it.attname), connection) for it in FIELDS]
    # Not every project has our database backends.
    if later := getattr(connection, "execute_later", None):
        later(_insert_one(connection.vendor), values)
        return
    with connection.cursor() as cursor:
        cursor.execute(_insert_one(connection.vendor), values)


@cache
def _insert_one(_vendor: str) -> str:
    query = InsertQuery(OutboxEntry)
    query.insert_values(FIELDS, [OutboxEntry()], raw=True)
    ((sql, _values),) = query.get_compiler(connection=connection).as_sql()
    return str(sql)


def relay(entries: Iterable[OutboxEntry], *, goes_last: bool = False) -> int:
    """Puts entries into their queues: one round trip for each backend, and one to mark them.

    `goes_last`: behind everything else. After Redis has lost something there may be thousands.
    """
    found, life = sorted(entries, key=attrgetter("backend", "created_at")), life_of_marks()
    for alias, group in groupby(found, key=attrgetter("backend")):
        get_backend(alias).hand_over([_message(entry, goes_last=goes_last) for entry in group])
    mark_done([entry.id for entry in found], life=life)
    return len(found)


def _message(entry: OutboxEntry, *, goes_last: bool) -> Message:
    message = entry.as_message()
    return replace(message, priority=TASK_MIN_PRIORITY) if goes_last else message


def sweep(*, older_than: timedelta = PATIENCE, goes_last: bool = True) -> int:
    """Relays what dead processes left behind, or Redis lost, and removes what is done.

    Returns how many it relayed. Idle, a sweep costs one SELECT.
    """
    relayed = 0
    for rows in _pages(written_before=timezone.now() - older_than):
        done = done_among(rows)
        if left := rows.keys() - done.keys():
            relayed += relay(OutboxEntry.objects.filter(id__in=left), goes_last=goes_last)
        _remove(id_ for id_, at in done.items() if at < timezone.now() - DONE_ROWS_KEPT)
    return relayed


def repeat(*, since: datetime) -> int:
    """Runs all tasks again that are not known to have been done before then; returns how many.

    They go behind everything else, the newest first: they are the most likely to be lost.
    """
    repeated = 0
    for rows in reversed(list(_pages(written_before=timezone.now()))):
        done = {id_ for id_, at in done_among(rows).items() if at < since}
        entries = OutboxEntry.objects.filter(id__in=rows.keys() - done)
        newest_first = sorted(entries, key=attrgetter("backend", "created_at"), reverse=True)
        for alias, group in groupby(newest_first, key=attrgetter("backend")):
            messages = [replace(_message(it, goes_last=True), is_repeat=True) for it in group]
            get_backend(alias).hand_over(messages)
            repeated += len(messages)
    return repeated


def waiting() -> int:
    pages = _pages(written_before=timezone.now())
    return sum(len(rows.keys() - done_among(rows).keys()) for rows in pages)


def _pages(*, written_before: datetime) -> Iterator[dict[uuid.UUID, datetime]]:
    """When each row was written, by id, the oldest first. Rows may share their moment.

    One SELECT a page: one that is not full is the last.
    """
    rows = OutboxEntry.objects.filter(created_at__lte=written_before).order_by("created_at", "id")
    left = rows
    while page := dict(left.values_list("id", "created_at")[:SWEEP_SIZE]):
        yield page
        if len(page) < SWEEP_SIZE:
            return
        last, moment = list(page.items())[-1]
        left = rows.filter(created_at__gte=moment).exclude(created_at=moment, id__lte=last)


def _remove(done: Iterable[uuid.UUID]) -> None:
    """Keeps the rows of tasks that are not done, or as old as one that waits: it may be theirs."""
    ids = set(done)
    if not ids:
        return
    before = timezone.now() - DONE_ROWS_KEPT - min(longest_wait(), LONGEST_BACKLOG)
    entries = OutboxEntry.objects.filter(id__in=ids, created_at__lt=before)
    ids = {entry.id for entry in entries} - unfinished_among(entries)
    OutboxEntry.objects.filter(id__in=ids).delete()
    forget_old()
    forget_old_notes()
