"""Sorted sets that are a copy of SQL and know whether they are a whole one.

A plain sorted set can't tell "nobody" from "lost". A loaded set keeps a mark beside its members:

    no key       unknown: load it from SQL before trusting it
    `building`   being loaded; writers write to it already, readers do not trust it yet
    `0`          whole: what is not in it does not exist
    no mark      whole down to its lowest member; what is older was trimmed and is in SQL

Loading is safe while others write. The mark comes first, so no addition is missed from then on.
Who removes a member moves the version on (the score of `building`), and a load that may have
read that member from SQL before starts over.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from .client import Client
from .scripts import Batch, Script

BUILDING, WHOLE = "building", "0"
# One part keeps Redis busy for well under a millisecond.
PART = 500
ATTEMPTS = 20

_open = Script(__file__, "loaded_set_open")
_add = Script(__file__, "loaded_set_add")


class LoadFailed(Exception):  # noqa: N818 - reads as what happened
    """The set changed each time it was loaded."""


class Loaded(NamedTuple):
    """What was read from SQL: ids that are their own scores, or pairs; `whole` if that was all."""

    scores: dict[int, int]
    whole: bool


def is_ready(client: Client, key: str) -> bool:
    """Can readers trust the set? One round trip, O(1)."""
    batch = Batch(client)
    batch.add("EXISTS", key)
    batch.add("ZSCORE", key, BUILDING)
    exists, building = batch.run()
    return bool(exists) and building is None


def load(client: Client, key: str, read: Callable[[], Loaded]) -> None:
    """Fill an unknown set with what `read` finds in SQL; a set that is ready is left alone.

    Not atomic, and need not be: any number of processes may load the same set at once.
    """
    for _ in range(ATTEMPTS):
        version = _open(client, [key])
        if version is None or _add_parts(client, key, version, read()):
            return
    raise LoadFailed(f"{key} changed during each of {ATTEMPTS} attempts to load it")


def _add_parts(client: Client, key: str, version: str, loaded: Loaded) -> bool:
    """One round trip however many parts; between two parts Redis serves others."""
    ending = "whole" if loaded.whole else "trimmed"
    parts = list(_parts(loaded.scores.items())) or [()]
    batch = Batch(client)
    for part in parts:
        pairs = [value for member, score in part for value in (score, member)]
        batch.call(_add, [key], [version, ending if part is parts[-1] else "", *pairs])
    return all(batch.run())


def _parts(items: Iterable[tuple[int, int]]) -> Iterator[Sequence[tuple[int, int]]]:
    rest = iter(items)
    while part := tuple(islice(rest, PART)):
        yield part
