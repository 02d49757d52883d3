"""Timelines in Redis: lists of status ids in their owner's partition (`lua/timeline.lua`).

A timeline that Redis does not know is built when it is read, so a missing key is never a wrong
answer; one that exists gets every status of its sources. A list takes a tenth of the memory of a
sorted set, and a delivery a third of the time (docs/benchmarks.md).
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from lists import store as list_store
from lists.models import List
from redistools import keys
from redistools.client import get_client
from redistools.loaded_set import IdPage, Loaded, LoadFailed, Range, Unknown, until_known
from redistools.scripts import Batch, Script
from relations import store as edges
from tags import store as tag_follows

from . import pulled
from .collecting import collect
from .index import tagged

TIMELINE_SIZE = 800
LIFETIME = 30 * 24 * 3600
ATTEMPTS = 20

_open = Script(__file__, "timeline_open")
_fill = Script(__file__, "timeline_fill")
_read = Script(__file__, "timeline_read", stale_ok=True)
_measure = Script(__file__, "timeline_measure")
_drop = Script(__file__, "timeline_drop")
_merge_author = Script(__file__, "merge_author")
_remove_author = Script(__file__, "remove_author")


@dataclass(frozen=True)
class Timeline:
    key: str
    sources_key: str
    partition: int
    # Everybody whose statuses belong here; reads the sources from SQL if Redis lost them.
    author_ids: Callable[[], list[int]]
    ensure_sources: Callable[[], None]
    # Are pulled authors merged in when it is read? If not, they are delivered like others.
    merges_pulled: bool
    tags_key: str = ""  # the loaded set of the tags that are merged in; empty: none are
    ensure_tags: Callable[[], None] = lambda: None


def home_of(user_id: int) -> Timeline:
    return Timeline(
        key=keys.home(user_id),
        sources_key=keys.following(user_id),
        partition=keys.partition(user_id),
        author_ids=lambda: [*edges.following_ids(user_id), user_id],
        ensure_sources=partial(edges.ensure_following, user_id),
        merges_pulled=True,
        tags_key=keys.tags_followed(user_id),
        ensure_tags=partial(tag_follows.ensure, user_id),
    )


def timeline_of(list_: List) -> Timeline:
    return Timeline(
        key=keys.list_timeline(list_.owner_id, list_.pk),
        sources_key=keys.list_members(list_.owner_id, list_.pk),
        partition=keys.partition(list_.owner_id),
        author_ids=partial(list_store.member_ids, list_.owner_id, list_.pk),
        ensure_sources=partial(list_store.ensure_members, list_.owner_id, list_.pk),
        merges_pulled=False,
    )


def read(timeline: Timeline, wanted: Range, *, lifetime: int = LIFETIME) -> IdPage:
    """One round trip when everything is known. Atomic, O(limit + log n) for each source.

    It then lives for at least another `lifetime` seconds; 0 leaves its time to live alone.
    """
    return _read_all(timeline, [wanted], lifetime)[0]


def read_two(timeline: Timeline, one: Range, other: Range) -> tuple[IdPage, IdPage]:
    first, second = _read_all(timeline, [one, other], LIFETIME)
    return first, second


def _read_all(timeline: Timeline, ranges: Sequence[Range], lifetime: int) -> list[IdPage]:
    names = [timeline.key, timeline.sources_key, keys.pull_authors(timeline.partition)]
    pulled_keys = keys.pulled(timeline.partition) if timeline.merges_pulled else ""
    tag_keys = keys.tags(timeline.partition) if timeline.tags_key else ""
    if tag_keys:
        names.append(timeline.tags_key)

    def read() -> list[IdPage] | Unknown:
        batch = Batch(get_client())
        for wanted in ranges:
            batch.call(_read, names, [pulled_keys, tag_keys, *wanted.arguments(), lifetime])
        answers = batch.run()
        unknown = {key for state, *some in answers if state == "unknown" for key in some}
        return Unknown([*unknown]) if unknown else [IdPage.of(it[1:]) for it in answers]

    return until_known(read, partial(_load, timeline))


class Extent(NamedTuple):
    length: int
    lowest: int  # the oldest id; 0 if there is none
    is_whole: bool  # is there nothing older in SQL?


def extent(timeline: Timeline) -> Extent | None:
    return _extent(_measure(get_client(), [timeline.key]))


def _extent(answer: list[int] | None) -> Extent | None:
    if answer is None:
        return None
    length, lowest, is_whole = answer
    return Extent(length, lowest, bool(is_whole))


def is_known(timeline: Timeline) -> bool:
    return extent(timeline) is not None


def build(timeline: Timeline, *, again: bool = False) -> None:
    """Fills the timeline from its authors, safely while others deliver to it.

    Works like a loaded set: opened first, so that no delivery is missed from then on, and started
    over if something was removed meanwhile.
    """
    for _ in range(ATTEMPTS):
        version = _open(get_client(), [timeline.key], [LIFETIME, int(again)])
        if version is None:
            return
        newest = collect(timeline.author_ids(), limit=TIMELINE_SIZE)
        if _fill(get_client(), [timeline.key], [version, *_contents(newest)]):
            return
    raise LoadFailed(f"{timeline.key} changed during each of {ATTEMPTS} attempts to build it")


def _contents(newest: Loaded) -> list[int]:
    return [int(newest.whole), TIMELINE_SIZE, *newest.scores]


@dataclass(frozen=True)
class Change:
    """A script that changes a timeline, and says if its sources must be loaded first. Atomic."""

    timeline: Timeline
    script: Script
    names: Sequence[str]
    arguments: Sequence[int]

    def add_to(self, batch: Batch) -> None:
        batch.call(self.script, self.names, self.arguments)

    def extent_of(self, answer: Any) -> Extent | None:
        """Needs more round trips only where its sources were lost."""
        answers = [answer]

        def change() -> list[int] | Unknown | None:
            now = answers.pop() if answers else self._ask()
            return Unknown([self.timeline.sources_key]) if now == "unknown" else now

        return _extent(until_known(change, lambda _sources: self.timeline.ensure_sources()))

    def run(self) -> Extent | None:
        return self.extent_of(self._ask())

    def _ask(self) -> Any:
        return self.script(get_client(), self.names, self.arguments)


def merging_author(
    timeline: Timeline, author_id: int, status_ids: Collection[int], *, has_more: bool
) -> Change:
    """Adds the newest statuses of an author who is now a source. Does nothing if the author is no
    longer one, or nobody reads the timeline.
    """
    names = [timeline.key, timeline.sources_key, keys.deleted_statuses(timeline.partition)]
    lowest = min(status_ids, default=0) if has_more else 0
    arguments = [author_id, lowest, TIMELINE_SIZE, *status_ids]
    return Change(timeline, _merge_author, names, arguments)


def removing_author(timeline: Timeline, author_id: int, status_ids: Collection[int]) -> Change:
    """Removes the statuses of an author who is no longer a source. Does nothing if they are one
    again: then the statuses belong there.
    """
    names = [timeline.key, timeline.sources_key]
    return Change(timeline, _remove_author, names, [author_id, *status_ids])


def remove_statuses(timeline: Timeline, status_ids: Collection[int]) -> None:
    """Drops ids of deleted statuses. Atomic, O(n) for each. One round trip."""
    batch = Batch(get_client())
    remove_from(batch, timeline, status_ids)
    batch.run()


def remove_from(batch: Batch, timeline: Timeline, status_ids: Collection[int]) -> None:
    batch.call(_drop, [timeline.key], [*status_ids])


def _load(timeline: Timeline, unknown: Sequence[str]) -> None:
    copies = [key for key in unknown if key.startswith(keys.tags(timeline.partition))]
    if copies:
        tagged.load(copies)
    for key in set(unknown).difference(copies):
        _load_one(timeline, key)


def _load_one(timeline: Timeline, key: str) -> None:
    if key == timeline.key:
        build(timeline)
    elif key == timeline.sources_key:
        timeline.ensure_sources()
    elif key == timeline.tags_key:
        timeline.ensure_tags()
    else:
        pulled.load(timeline.partition, key)
