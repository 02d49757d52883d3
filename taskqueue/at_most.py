"""Bounds how many tasks of a kind run at once, over all workers of all hosts.

with at_most(3, "exports", lease=60) as slot: … slot.refresh()
"""

from collections.abc import Iterator
from contextlib import contextmanager

from redistools.client import get_client
from redistools.semaphore import SemaphoreFull, Slot, semaphore

from .exceptions import PutOff

# Most blocks are short, so a slot often comes free in this time. A lane must not wait for longer:
# other tasks could run in it.
WAIT_SECONDS = 0.1


@contextmanager
def at_most(limit: int, name: str, *, lease: float) -> Iterator[Slot]:
    """Holds one of `limit` slots for the block; raises PutOff when all are taken.

    A worker that dies inside loses its slot after `lease` seconds. Two round trips, more if it
    waits.
    """
    try:
        with semaphore(get_client(), name, limit=limit, lease=lease, wait=WAIT_SECONDS) as slot:
            yield slot
    except SemaphoreFull as full:
        raise PutOff(str(full)) from full
