"""Rebuilds everything in Redis from SQL, in steps; it can be stopped and continued.

Safe while the site runs: a copy is forgotten and loaded again, and readers and writers do what they
always do with what Redis does not know.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from redistools import keys
from redistools.client import get_client
from redistools.serving_copy import Row, Scope, Store, scopes, stores

from .walking import count_of, keys_held, rows_of, strays_among


class Phase(NamedTuple):
    name: str
    about: Scope
    stores: Sequence[Store]

    def rebuild(self, rows: Sequence[Row], *, also_unread: bool) -> None:
        for store in self.stores:
            store.rebuild(rows, also_unread=also_unread)

    def left(self, progress: "RebuildProgress") -> int:
        return count_of(self.about, above=progress.last(self.name))


def phases() -> list[Phase]:
    """What is made from other copies comes last: homes from the profiles of everybody followed."""
    made = {about: [it for it in stores(about) if not it.on_demand] for about in scopes()}
    first = [Phase(about.name, about, some) for about, some in made.items()]
    return first + [Phase(it.kind, it.about, [it]) for it in stores() if it.on_demand]


def rebuild_phase(phase: Phase, progress: "RebuildProgress", *, also_unread: bool) -> Iterator[int]:
    """Continues after the last row that was done; yields how many each step did."""
    for rows in rows_of(phase.about, above=progress.last(phase.name)):
        phase.rebuild(rows, also_unread=also_unread)
        if rows[-1] is not None:
            progress.save(phase.name, rows[-1].pk)
        yield len(rows)


def rebuild_rows(about: Scope, rows: Sequence[Row]) -> None:
    for phase in phases():
        if phase.about == about:
            phase.rebuild(rows, also_unread=True)


def remove_strays() -> Iterator[int]:
    """Removes keys of deleted rows or former partitions; yields how many each step looked at."""
    for names in keys_held():
        for difference in strays_among(names):
            difference.repair()
        yield len(names)


class RebuildProgress:
    """How far a rebuild of everything has come; kept in Redis, so a new Redis starts over."""

    def __init__(self) -> None:
        self._key = keys.rebuild_progress()

    def last(self, phase: str) -> int:
        return int(get_client().hget(self._key, phase) or 0)

    def save(self, phase: str, last_id: int) -> None:
        get_client().hset(self._key, phase, last_id)

    def forget(self) -> None:
        get_client().unlink(self._key)
