"""A summary of a status: what it is ordered and filtered by.

For code that looks at hundreds of statuses to show thirty.
"""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from redistools import keys
from redistools.chunks import chunks
from redistools.client import get_client
from redistools.scripts import Batch

from ..models import Status, StatusQuerySet
from ..rows import COUNTS
from ..stored import FIELDS, Counts

# Read in some five milliseconds; others are served in between.
AT_ONCE = 400


class StatusSummary(NamedTuple):
    id: int
    author_id: int
    text: str
    language: str
    warning: str
    reply_to: int | None
    reply_to_author: int | None
    thread: int | None
    boost_of: int | None
    counts: Counts

    @property
    def is_reply_to_others(self) -> bool:
        return self.reply_to is not None and self.reply_to_author != self.author_id


_SUMMED_UP = [it for it in FIELDS if it.name in StatusSummary._fields[1:]]
KEYS = [*(it.key for it in _SUMMED_UP), *Counts._fields]
COLUMNS = ["pk", *(it.source for it in _SUMMED_UP), *COUNTS]


class SummarizedEntry(NamedTuple):
    status: StatusSummary
    boost: StatusSummary | None = None


def summaries(status_ids: Collection[int]) -> dict[int, StatusSummary]:
    """Reads those that exist. One round trip for each 400, and a query for what Redis lacks, which
    is not put back.
    """
    found: dict[int, StatusSummary] = {}
    for some in chunks(status_ids, AT_ONCE):
        found |= _in_redis(some)
    if missing := [it for it in status_ids if it not in found]:
        found |= summaries_in_sql(Status.objects.filter(pk__in=missing))
    return found


def languages_of(status_ids: Collection[int]) -> dict[int, str]:
    """Covers those that Redis knows. One round trip, O(1) for each."""
    batch = Batch(get_client())
    for key in keys.statuses(status_ids):
        batch.add("HGET", key, "lang")
    answers = zip(status_ids, batch.run(), strict=True)
    return {status_id: language for status_id, language in answers if language is not None}


def _in_redis(status_ids: Sequence[int]) -> dict[int, StatusSummary]:
    batch = Batch(get_client())
    for key in keys.statuses(status_ids):
        batch.add("HMGET", key, *KEYS)
    answers = zip(status_ids, batch.run(), strict=True)
    return {it: _summary(it, values) for it, values in answers if values[0] is not None}


def _summary(status_id: int, values: Sequence[str | None]) -> StatusSummary:
    said = [
        it.read(text) if text else it.default for it, text in zip(_SUMMED_UP, values, strict=False)
    ]
    counts = (int(it or 0) for it in values[len(_SUMMED_UP) :])
    return StatusSummary._make([status_id, *said, Counts(*counts)])


def summary_of(row: Status) -> StatusSummary:
    return _of_columns([getattr(row, name) for name in COLUMNS])


def summaries_in_sql(rows: StatusQuerySet) -> dict[int, StatusSummary]:
    return {row[0]: _of_columns(row) for row in rows.values_list(*COLUMNS)}


def _of_columns(row: Sequence[Any]) -> StatusSummary:
    counted = len(row) - len(COUNTS)
    return StatusSummary._make([*row[:counted], Counts(*row[counted:])])
