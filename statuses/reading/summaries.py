"""A summary of a status: what it is ordered and filtered by.

For code that looks at hundreds of statuses to show thirty.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from redistools import keys
from redistools.chunks import chunks
from redistools.client import get_client
from redistools.scripts import Batch

from ..models import Status, StatusQuerySet
from ..reactions.counts import COLUMNS as COUNTERS
from ..reactions.counts import Counts

FIELDS = "uid lang text warning reply reply_uid thread boost likes boosts replies version".split()
COLUMNS = ("author_id", "language", "text", "warning")
NUMBERS = ("reply_to_id", "reply_to_author_id", "thread_id", "boost_of_id", *COUNTERS)
# Read in some five milliseconds; others are served in between.
AT_ONCE = 400


class StatusSummary(NamedTuple):
    """Named like the parts of a `StoredStatus`."""

    id: int
    author_id: int
    language: str
    text: str
    warning: str
    reply_to: int | None
    reply_to_author: int | None
    thread: int | None
    boost_of: int | None
    counts: Counts

    @property
    def is_reply_to_others(self) -> bool:
        return self.reply_to is not None and self.reply_to_author != self.author_id


class SummarizedEntry(NamedTuple):
    """An entry of a timeline. Of a boost, `status` is the original."""

    status: StatusSummary
    boost: StatusSummary | None = None


def summaries(status_ids: Collection[int]) -> dict[int, StatusSummary]:
    """Of those that exist. One round trip for each 400, and a query for what Redis lacks, which is
    not put back.
    """
    found: dict[int, StatusSummary] = {}
    for some in chunks(status_ids, AT_ONCE):
        found |= _in_redis(some)
    if missing := [it for it in status_ids if it not in found]:
        found |= summaries_in_sql(Status.objects.filter(pk__in=missing))
    return found


def languages_of(status_ids: Collection[int]) -> dict[int, str]:
    """Of those that Redis knows. One round trip, O(1) for each."""
    batch = Batch(get_client())
    for key in keys.statuses(status_ids):
        batch.add("HGET", key, "lang")
    answers = zip(status_ids, batch.run(), strict=True)
    return {status_id: language for status_id, language in answers if language is not None}


def _in_redis(status_ids: Sequence[int]) -> dict[int, StatusSummary]:
    batch = Batch(get_client())
    for key in keys.statuses(status_ids):
        batch.add("HMGET", key, *FIELDS)
    answers = zip(status_ids, batch.run(), strict=True)
    return {it: _summary(it, values) for it, values in answers if values[0] is not None}


def _summary(status_id: int, values: Sequence[str | None]) -> StatusSummary:
    author_id, language, text, warning, *rest = values
    reply_to, reply_to_author, thread, boost_of, *counts = (int(it) if it else None for it in rest)
    return StatusSummary(
        id=status_id,
        author_id=int(author_id or 0),
        language=language or "",
        text=text or "",
        warning=warning or "",
        reply_to=reply_to,
        reply_to_author=reply_to_author,
        thread=thread,
        boost_of=boost_of,
        counts=Counts(*(it or 0 for it in counts)),
    )


def summary_of(row: Status) -> StatusSummary:
    values = [getattr(row, name) for name in ("pk", *COLUMNS, *NUMBERS)]
    return StatusSummary._make([*values[:9], Counts(*values[9:])])


def summaries_in_sql(rows: StatusQuerySet) -> dict[int, StatusSummary]:
    """One query."""
    found: Iterable[Any] = rows.values_list("pk", *COLUMNS, *NUMBERS)
    return {row[0]: StatusSummary._make([*row[:9], Counts(*row[9:])]) for row in found}
