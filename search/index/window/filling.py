"""Keeps the window as large as it should be: opens it, fills it from SQL from the newest to the
oldest, drops its oldest segments, and replaces what can't be trusted.

A segment is in the list for a minute before it is filled: those who wrote to SQL without knowing it
are done by then, and everybody else puts posts into it.
"""

import secrets
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple

from django.conf import settings

from redistools import keys
from redistools.chunks import chunks
from redistools.client import get_client
from redistools.scripts import Batch, Script
from web.cursors import HIGHEST_ID

from ...models import Entry
from .. import feeding as sql_feeding
from ..engine import engine
from ..wanted import Bounds
from . import feeding, segments
from .feeding import AT_ONCE, add_put, go_on, open_segment, post
from .segments import Change, Segments
from .server import is_on

# No transaction takes longer.
UNSETTLED = timedelta(minutes=1)
# Posts, or buckets, of one step.
POSTS_AT_ONCE, BUCKETS_AT_ONCE, BUCKETS = 500, 32, 4_096
STEPS_OF_A_DROP = 32
BLOCKS = 64

_look = Script(__file__, "look")
_finish = Script(__file__, "finish")
_drop = Script(__file__, "drop")


class State(NamedTuple):
    word: str
    first: int
    below: int | None
    filled: int | None  # the last id that came from SQL
    posts: int
    since: float

    @property
    def is_whole(self) -> bool:
        return self.word == "whole"

    @property
    def size(self) -> int:
        """As large as it will be."""
        return self.posts if self.is_whole else feeding.ROOM

    @property
    def bounds(self) -> Bounds:
        return Bounds(self.first - 1, HIGHEST_ID + 1 if self.below is None else self.below)


def keep() -> bool:
    """One step of what is to be done, in some ten milliseconds; returns whether there was any."""
    now = segments.read()
    if not is_on():
        return forget() or _free(now) or _remove_rest(now)
    states = _states(now)
    if _is_closed(now, states):
        return go_on(now, may_help=True)
    return _planned(now, states) or _free(now) or _filled(now, states)


def forget() -> bool:
    """From now on nobody trusts what it holds; `keep` frees that, and begins again."""
    now = segments.read()
    if not now.first:
        return False
    _distrust(now.first)
    segments.change(lambda now: _dropped(now.first) if now.first else None)
    return True


def whole_segments() -> list[tuple[int, State]]:
    found = _states(segments.read()).items()
    return [(number, state) for number, state in found if state and state.is_whole]


def _states(now: Segments) -> dict[int, State | None]:
    """None: lost, wrong, or its server died since. One round trip."""
    batch, numbers = Batch(get_client()), now.newest_first
    for number in numbers:
        batch.call(_look, [keys.search_segment(number)])
    return {number: _state(it) for number, it in zip(numbers, batch.run(), strict=True)}


def _state(answer: list[str]) -> State | None:
    if not answer or answer[0] == "reserved":
        return None
    word, first, below, filled, posts, since = answer
    if below and int(below) <= int(first):
        return None  # it ends before it begins
    return State(
        word,
        int(first),
        int(below) if below else None,
        int(filled) if filled else None,
        int(posts),
        float(since),
    )


def _is_closed(now: Segments, states: Mapping[int, State | None]) -> bool:
    """Did somebody die before opening the next segment?"""
    newest = states[now.newest_first[0]] if now.first else None
    return newest is not None and newest.below is not None


def _planned(now: Segments, states: Mapping[int, State | None]) -> bool:
    """Segments follow each other without gaps: replaces, drops or opens the first that is wrong."""
    if not now.first:
        return _begin(now)
    newest, *older = now.newest_first
    state = states[newest]
    if state is None:
        return _begin(now, instead_of=[newest])
    posts, upper, lower = state.size, state.first, 0
    for number in older:
        state = states[number]
        end = None if state is None else state.below
        if state is None or end is None or end > upper or posts >= settings.SEARCH_WINDOW:
            return _drop_one(now, number)
        if end < upper:
            lower = end
            break
        posts, upper = posts + state.size, state.first
    is_large = upper == lower or posts >= settings.SEARCH_WINDOW
    return not is_large and _open_below(now, upper, lower)


def _begin(now: Segments, instead_of: Collection[int] = ()) -> bool:
    """With what is posted from now on."""
    number, first = 2**20 + secrets.randbelow(2**30), sql_feeding.highest() + 1
    if segments.enlist(now, _dropped(instead_of) | {str(number): first, "lowest": number}):
        open_segment(number, "fill", first=first)
    return True


def _open_below(now: Segments, upper: int, lower: int) -> bool:
    """For the next posts that SQL's index has, once it has them all."""
    if sql_feeding.progress().rest:
        return False
    ids = Entry.objects.filter(pk__lt=upper, pk__gte=lower).order_by("-pk")
    lowest = ids.values_list("pk", flat=True)[feeding.ROOM - 1 : feeding.ROOM].first()
    number, first = now.lowest - 1, lower if lowest is None else lowest
    if segments.enlist(now, {str(number): first, "lowest": number}):
        open_segment(number, "fill", first=first, below=upper)
    return True


def _drop_one(now: Segments, number: int) -> bool:
    _distrust([number])
    segments.enlist(now, _dropped([number]))
    return True


def _dropped(numbers: Iterable[int]) -> Change:
    changes: Change = {}
    for number in numbers:
        changes |= {str(number): "", str(-number): 0}
    return changes


def _distrust(numbers: Iterable[int]) -> None:
    batch = Batch(get_client())
    for number in numbers:
        batch.add("UNLINK", keys.search_segment(number))
    batch.run()


def _free(now: Segments) -> bool:
    """Some buckets of what was dropped."""
    for number, begin in now.dropped.items():
        batch, end = Batch(get_client()), min(begin + BUCKETS_AT_ONCE * STEPS_OF_A_DROP, BUCKETS)
        for bucket in range(begin, end, BUCKETS_AT_ONCE):
            batch.call(_drop, [keys.search_segment(number)], [bucket, BUCKETS_AT_ONCE])
        batch.run()
        segments.enlist(now, {str(-number): end if end < BUCKETS else ""})
        return True
    return False


def _remove_rest(now: Segments) -> bool:
    """What belongs to no segment, of a window that is off."""
    batch = Batch(get_client())
    for partition in range(settings.PARTITIONS if now.version else 0):
        for block in range(BLOCKS):
            batch.add("UNLINK", f"{keys.search_blocks(partition)}{block}")
    batch.add("UNLINK", keys.search_segments())
    batch.run()
    return False


def _filled(now: Segments, states: Mapping[int, State | None]) -> bool:
    """Of the newest segment that is not whole, some posts."""
    for number in now.newest_first:
        state = states[number]
        if state and not state.is_whole:
            return time.time() - state.since >= UNSETTLED.total_seconds() and _fill(number, state)
    return False


def _fill(number: int, state: State) -> bool:
    bounds = state.bounds
    if state.filled is not None:
        bounds = bounds._replace(above=state.filled)
    if rows := engine().entries(bounds, POSTS_AT_ONCE):
        put_again(number, "fill", rows)
    else:
        _finish(get_client(), [keys.search_segment(number)])
    return True


def put_again(number: int, how: str, rows: Sequence[tuple[int, list[str]]]) -> list[list[int]]:
    """Posts as SQL's index has them; returns those that a check misses, by parts. One round trip;
    Redis serves others between two parts.
    """
    batch = Batch(get_client())
    for some in chunks(rows, AT_ONCE):
        add_put(batch, number, how, [post(*row) for row in some])
    return [[int(it) for it in missing] for _, _, missing in batch.run()]
