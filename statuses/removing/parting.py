"""What an account leaves behind in SQL when it is deleted: counters, gaps, replies of others.

Everything here runs inside the transaction that deletes the account, whose row is locked. Rows are
locked in the order of their ids, after accounts, as everywhere.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from typing import NamedTuple

from django.db.models import F

from redistools.chunks import chunks

from ..models import Gap, Like, Status

# Rows that one statement names.
PART = 500


class Traces(NamedTuple):
    own: dict[int, int]  # and the visibility of each
    counted: list[int]  # of others, with counters that went down
    answers: list[int]  # by others, to what the account said: they name it


class _OwnStatus(NamedTuple):
    id: int
    visibility: int
    reply_to_id: int | None
    boost_of_id: int | None
    replies_count: int


def remove_traces(user_id: int) -> Traces:
    said = _statuses_of(user_id)
    own = {it.id: it.visibility for it in said}
    changes = _changes(user_id, said)
    for status_id in changes.keys() & own.keys():
        del changes[status_id]
    _uncount(changes)
    answered = [it for it in said if it.replies_count]
    _leave_gaps(answered)
    return Traces(own, sorted(changes), _answers_to([it.id for it in answered], user_id))


def _statuses_of(user_id: int) -> list[_OwnStatus]:
    """Locks them, so that nobody answers one from now on."""
    locked = Status.objects.select_for_update().filter(author_id=user_id).order_by("pk")
    return [_OwnStatus(*row) for row in locked.values_list(*_OwnStatus._fields)]


Changes = dict[int, Counter[str]]


def _changes(user_id: int, said: Iterable[_OwnStatus]) -> Changes:
    changes: Changes = defaultdict(Counter)
    # Locked: somebody may be taking a like back at this moment.
    likes = Like.objects.select_for_update().filter(user_id=user_id).order_by("pk")
    for status_id in likes.values_list("status_id", flat=True):
        changes[status_id]["likes_count"] += 1
    for it in said:
        if it.reply_to_id:
            changes[it.reply_to_id]["replies_count"] += 1
        if it.boost_of_id:
            changes[it.boost_of_id]["boosts_count"] += 1
    return dict(changes)


def _uncount(changes: Changes) -> None:
    """Runs one statement for each kind of change: most are the same, one like less."""
    for part in chunks(sorted(changes), PART):
        locked = Status.objects.select_for_update(no_key=True).filter(pk__in=part)
        alike: dict[frozenset[tuple[str, int]], list[int]] = defaultdict(list)
        for status_id in locked.order_by("pk").values_list("pk", flat=True):
            alike[frozenset(changes[status_id].items())].append(status_id)
        for change, status_ids in alike.items():
            less = {column: F(column) - count for column, count in change}
            rows = Status.objects.filter(pk__in=status_ids)
            rows.update(**less, counts_version=F("counts_version") + 1)


def _leave_gaps(answered: Iterable[_OwnStatus]) -> None:
    gaps = [Gap(pk=it.id, reply_to_id=it.reply_to_id) for it in answered]
    Gap.objects.bulk_create(gaps, batch_size=PART, ignore_conflicts=True)


def _answers_to(status_ids: Collection[int], user_id: int) -> list[int]:
    found: list[int] = []
    for part in chunks(status_ids, PART):
        answers = Status.objects.filter(reply_to_id__in=part).exclude(author_id=user_id)
        found += answers.values_list("pk", flat=True)
    return found
