"""How often a status was liked, boosted and answered. Beside the status, not in it: a like must not
render anything again.

Each change has a version, and Redis keeps the newest, so writers need no lock and read SQL once.
"""

from collections.abc import Collection

from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch, Script

from ..models import Status
from ..rows import COUNTS, counters_of
from ..stored import Counts

_write_counts = Script(__file__, "write_counts")


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
