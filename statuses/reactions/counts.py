"""How often a status was liked, boosted and answered. Beside the status, not in it: a like must not
render anything again.

Each change has a version, and Redis keeps the newest, so writers need no lock and read SQL once.
"""

from collections.abc import Collection
from typing import NamedTuple, Self

from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch, Script

from ..models import Status
from ..rows import COUNTS, counters_of

_write_counts = Script(__file__, "write_counts")


class Counts(NamedTuple):
    likes: int = 0
    boosts: int = 0
    replies: int = 0
    version: int = 0

    def fields(self) -> dict[str, str]:
        """Most statuses are never counted, and have no fields."""
        return {name: str(count) for name, count in self._asdict().items()} if any(self) else {}

    @classmethod
    def of(cls, fields: dict[str, str]) -> Self:
        get = fields.get
        return cls(
            int(get("likes", 0)),
            int(get("boosts", 0)),
            int(get("replies", 0)),
            int(get("version", 0)),
        )


def counts_of(status: Status) -> Counts:
    return Counts(*(getattr(status, column) for column in COUNTS))


def write_counts(batch: Batch, status_id: int, counts: Counts) -> None:
    """Writes if Redis holds the status, and no newer counts. Atomic, O(1)."""
    if fields := [part for field in counts.fields().items() for part in field]:
        batch.call(_write_counts, [keys.status(status_id)], [counts.version, *fields])


def add_counts(batch: Batch, status_ids: Collection[int]) -> None:
    """Takes them from SQL. One query; part of a longer batch."""
    for status_id, *counts in counters_of(status_ids):
        write_counts(batch, status_id, Counts(*counts))


def refresh_counts(status_ids: Collection[int]) -> None:
    """One query and one round trip."""
    batch = Batch(get_client())
    add_counts(batch, status_ids)
    batch.run()
