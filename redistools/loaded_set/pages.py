"""Pages of loaded sets, each by a script that also says how far down the set reaches."""

from collections.abc import Callable, Sequence

from ..client import Client
from ..scripts import Batch, Script
from .loading import Unknown, until_known
from .values import IdPage, Range, Scored

_page = Script(__file__, "loaded_set_page", stale_ok=True)
_scored = Script(__file__, "loaded_set_scored")


def page(client: Client, key: str, wanted: Range, load: Callable[[], object]) -> IdPage:
    """For members that are ids, scored by themselves. One round trip if known; O(log n + limit)."""

    def read() -> IdPage | Unknown:
        answer = _page(client, [key], wanted.arguments())
        return Unknown([key]) if answer is None else IdPage.of(answer)

    return until_known(read, lambda _key: load())


def scored_page(
    client: Client, key: str, load: Callable[[], object], *, below: int | None, limit: int
) -> Scored:
    """The highest scores below one. One round trip if known; O(log n + limit). Atomic."""

    def read() -> Scored | Unknown:
        answer = _scored(client, [key], ["" if below is None else below, limit])
        if answer is None:
            return Unknown([key])
        floor, *rest = (int(float(part)) for part in answer)
        return Scored(list(zip(rest[::2], rest[1::2], strict=True)), floor)

    return until_known(read, lambda _key: load())


def highest(client: Client, keys: Sequence[str], count: int) -> list[list[int] | None]:
    """The highest ids of each set; None if it must be loaded first, or does not reach that far.

    Atomic and O(log n + count) for each set, one round trip.
    """
    batch = Batch(client)
    for key in keys:
        batch.call(_page, [key], Range(limit=count).arguments())
    return [_all_wanted(answer, count) for answer in batch.run()]


def _all_wanted(answer: list[str] | None, count: int) -> list[int] | None:
    if answer is None:
        return None
    ids, floor = IdPage.of(answer)
    return ids if floor == 0 or len(ids) == count else None
