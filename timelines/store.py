"""Timelines in Redis: loaded sets of status ids (`redistools.loaded_set`).

A timeline that Redis does not know is built when it is read, so a missing key is never a wrong
answer; to one that exists every status of its sources is delivered.
"""

from collections.abc import Callable, Collection
from functools import partial
from typing import Literal, NamedTuple

from redistools import keys, loaded_set
from redistools.client import get_client
from redistools.scripts import Argument, Script
from statuses import store as statuses

from . import pulled
from .collecting import collect
from .timeline import Timeline

TIMELINE_SIZE = 800
LIFETIME = 30 * 24 * 3600
# How many sets may turn out unknown during one read: the timeline, its sources, pulled authors.
LOADS = 50

End = Literal["newest", "oldest"]

_read = Script(__file__, "timeline_read")
_merge_author = Script(__file__, "merge_author")
_remove_author = Script(__file__, "remove_author")


class Slice(NamedTuple):
    """Ids, the newest first. Below `floor` there may be more, which only SQL knows."""

    ids: list[int]
    floor: int


class Range(NamedTuple):
    """Ids strictly between `above` and `below`, at most `limit`, taken from one end."""

    above: int
    below: int | None
    limit: int
    end: End


def read(timeline: Timeline, wanted: Range) -> Slice:
    """One round trip when everything is known. Atomic; O(log n + limit) for each set."""
    names = [timeline.key, timeline.sources_key, keys.pull_authors(timeline.partition)]
    pulled_keys = keys.pulled(timeline.partition) if timeline.merges_pulled else ""
    return _read_known(
        names, wanted, pulled_keys=pulled_keys, lifetime=LIFETIME, load=partial(_load, timeline)
    )


def read_profile(user_id: int, wanted: Range) -> Slice:
    """One round trip when known. Atomic, O(log n + limit)."""

    def load(_unknown: str) -> None:
        statuses.ensure_profiles([user_id])

    names = [keys.profile(user_id)] * 3  # it has no sources and merges nothing
    return _read_known(names, wanted, pulled_keys="", lifetime=0, load=load)


def _read_known(
    names: list[str],
    wanted: Range,
    *,
    pulled_keys: str,
    lifetime: int,
    load: Callable[[str], None],
) -> Slice:
    below = "" if wanted.below is None else wanted.below
    arguments: list[Argument] = [
        pulled_keys,
        wanted.above,
        below,
        wanted.limit,
        wanted.end,
        lifetime,
    ]
    for _ in range(LOADS):
        state, *answer = _read(get_client(), names, arguments)
        if state == "ok":
            floor, *ids = map(int, answer)
            return Slice(ids, floor)
        load(answer[0])
    raise loaded_set.LoadFailed(f"{names[0]} could not be read: its sets keep vanishing")


def build(timeline: Timeline, *, again: bool = False) -> None:
    """Fill the timeline from its authors, safely while others deliver to it."""

    def newest() -> loaded_set.Loaded:
        return collect(timeline.author_ids(), limit=TIMELINE_SIZE)

    loaded_set.load(get_client(), timeline.key, newest, ttl=LIFETIME, again=again)


def merge_author(
    timeline: Timeline, author_id: int, status_ids: Collection[int], *, has_more: bool
) -> int:
    """Add the newest statuses of an author who is now a source; returns the timeline's length.

    Atomic. Does nothing when the author is no longer a source, or nobody reads the timeline.
    """
    names = [timeline.key, timeline.sources_key, keys.deleted_statuses(timeline.partition)]
    lowest = min(status_ids, default=0) if has_more else 0
    arguments = [author_id, lowest, TIMELINE_SIZE, *status_ids]
    timeline.ensure_sources()
    return int(_merge_author(get_client(), names, arguments))


def remove_author(timeline: Timeline, author_id: int, status_ids: Collection[int]) -> bool:
    """Take the statuses of an author out who is no source any more; False if they are again."""
    timeline.ensure_sources()
    names = [timeline.key, timeline.sources_key]
    return bool(_remove_author(get_client(), names, [author_id, *status_ids]))


def remove_statuses(timeline: Timeline, status_ids: Collection[int]) -> None:
    """Drop ids of statuses that turned out to be deleted."""
    get_client().zrem(timeline.key, *status_ids)


def length(timeline: Timeline) -> int:
    return int(get_client().zcard(timeline.key))


def _load(timeline: Timeline, unknown: str) -> None:
    if unknown == timeline.key:
        build(timeline)
    elif unknown == timeline.sources_key:
        timeline.ensure_sources()
    else:
        pulled.load(timeline.partition, unknown)
