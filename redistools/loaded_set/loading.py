"""Filling loaded sets from SQL, safely while others write, and reading what may need it first."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple, TypeVar

from ..chunks import chunks
from ..client import Client
from ..scripts import Batch, Script
from ..staleness import fresh, is_stale_ok
from .values import Loaded

# One part keeps Redis busy for well under a millisecond.
PART = 500
ATTEMPTS = 20
# One read may need many sets, and each may turn out unknown by itself.
READS = 50

T = TypeVar("T")

_open = Script(__file__, "loaded_set_open")
_add = Script(__file__, "loaded_set_add")


class LoadFailed(Exception):  # noqa: N818 - reads as what happened
    """The set changed each time it was loaded."""


class Unknown(NamedTuple):
    """The answer of a read that needs these sets to be loaded first."""

    keys: list[str]


def until_known(read: Callable[[], T | Unknown], load: Callable[[list[str]], object]) -> T:
    """What `read` finds, once `load` has loaded the sets that it needs.

    A replica may answer (`redistools/staleness.py`), but only masters say what must be loaded.
    """
    found = read()
    if not isinstance(found, Unknown):
        return found
    unknown = [] if is_stale_ok() else found.keys
    with fresh():
        for _ in range(READS):
            if unknown:
                load(unknown)
            found = read()
            if not isinstance(found, Unknown):
                return found
            unknown = found.keys
    raise LoadFailed(f"{', '.join(unknown)} kept vanishing")


def load(
    client: Client,
    key: str,
    read: Callable[[], Loaded],
    *,
    for_ever: bool = False,
) -> None:
    """Fills an unknown set with what `read` finds in SQL; a set that is ready is left alone.

    With `for_ever` it stays even if nobody uses it. Any number of processes may load it at once.
    """
    load_many(client, [key], lambda _keys: {key: read()}, for_ever=for_ever)


def load_many(
    client: Client,
    keys: Collection[str],
    read: Callable[[Collection[str]], Mapping[str, Loaded]],
    *,
    for_ever: bool = False,
) -> None:
    """Like `load`, for sets that one query can fill together. Two round trips if all goes well."""
    waiting = list(keys)
    for _ in range(ATTEMPTS):
        versions = _open_all(client, waiting, for_ever=for_ever)
        if not versions:
            return
        waiting = _fill(client, versions, read(versions.keys()))
        if not waiting:
            return
    raise LoadFailed(f"{waiting} changed during each of {ATTEMPTS} attempts to load them")


def _open_all(client: Client, keys: Sequence[str], *, for_ever: bool) -> dict[str, str]:
    batch = Batch(client)
    for key in keys:
        batch.call(_open, [key], [int(for_ever)])
    answers = zip(keys, batch.run(), strict=True)
    return {key: version for key, version in answers if version is not None}


def _fill(client: Client, versions: Mapping[str, str], loaded: Mapping[str, Loaded]) -> list[str]:
    """Returns the sets that have to be read again. One round trip for any number of parts."""
    batch, owners = Batch(client), []
    for key, version in versions.items():
        floor = 0 if loaded[key].whole else min(loaded[key].scores.values())
        # Redis serves others between two parts; an empty set takes one too, which ends the load.
        parts = list(chunks(loaded[key].scores.items(), PART)) or [[]]
        for number, part in enumerate(parts, start=1):
            pairs = [value for member, score in part for value in (score, member)]
            batch.call(_add, [key], [version, floor if number == len(parts) else "", *pairs])
            owners.append(key)
    outcomes = zip(owners, batch.run(), strict=True)
    return list(dict.fromkeys(key for key, added in outcomes if not added))
