"""Puts posts into the window, before SQL's index has them: what SQL finds, the window finds.

A process that dies in between leaves too much there, which is compared with SQL and the text when
it is found. What can't be put raises, and is not written to SQL either.
"""

import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from redistools import keys
from redistools.chunks import chunks
from redistools.client import get_client
from redistools.scripts import Argument, Batch, Script
from redistools.writing_until_stable import ATTEMPTS, NeverStable

from . import segments
from .segments import Change, Segments
from .terms import digests

# Numbers in order, and those for posts that come late: 58 and 6 blocks of 1,024.
ROOM, SPARE = 59_392, 6_144
# A script takes 50 to 80 µs for each.
AT_ONCE, HIDDEN_AT_ONCE = 25, 100
# For who closes a segment to open the next one; then others do that.
PATIENCE_SECONDS, PATIENT_ATTEMPTS = 0.01, 10

put_script = Script(__file__, "put")
_hide = Script(__file__, "hide")
_open = Script(__file__, "open")
_close = Script(__file__, "close")


class Post(NamedTuple):
    id: int
    terms: bytes
    may_differ: bool  # from what the window may have of it


def post(status_id: int, terms: Iterable[str], *, may_differ: bool = True) -> Post:
    return Post(status_id, digests(terms), may_differ)


def put(posts: Iterable[Post]) -> None:
    """Twice is once. Posts below the floor are left out, and those of segments that nobody trusts.
    Atomic for each 25; two round trips.
    """
    left, attempt = sorted(posts), 0
    while left and (now := segments.read()).first:
        before, left = len(left), _put(left, now)
        attempt = 0 if len(left) < before else attempt + 1
        if attempt == ATTEMPTS:
            raise NeverStable(f"no segment took status {left[0].id}")
        if left and not go_on(now, may_help=attempt >= PATIENT_ATTEMPTS):
            time.sleep(PATIENCE_SECONDS)


def _put(posts: Iterable[Post], now: Segments) -> list[Post]:
    """Returns those that belong into the next segment, which is still to be opened. Where one was
    dropped in between, they are left out, and filled in from SQL.
    """
    batch, parts, newest = (
        Batch(get_client()),
        list[tuple[int, list[Post]]](),
        now.newest_first[0],
    )
    for number, some in _by_segment(posts, now).items():
        for part in chunks(some, AT_ONCE):
            parts.append((number, part))
            add_put(batch, number, "put", part)
    left = list[Post]()
    for (number, part), (word, done, _) in zip(parts, batch.run(), strict=True):
        if number == newest and word in ("full", "elsewhere"):
            left += part[done:]
    return left


def add_put(batch: Batch, number: int, how: str, posts: Sequence[Post]) -> None:
    values = [value for it in posts for value in (it.id, int(it.may_differ), it.terms)]
    batch.call(put_script, [keys.search_segment(number)], [how, *values])


def _by_segment(posts: Iterable[Post], now: Segments) -> dict[int, list[Post]]:
    found = defaultdict[int, list[Post]](list)
    for it in posts:
        number = now.of(it.id)
        if number is not None:
            found[number].append(it)
    return found


def hide(status_ids: Collection[int]) -> None:
    """For what can't be found any more; who puts it in again makes it visible. Only saves work."""
    if not status_ids:
        return
    now, by_segment = segments.read(), defaultdict[int, list[int]](list)
    for status_id in status_ids:
        number = now.of(status_id)
        if number is not None:
            by_segment[number].append(status_id)
    batch = Batch(get_client())
    for number, ids in by_segment.items():
        for some in chunks(ids, HIDDEN_AT_ONCE):
            batch.call(_hide, [keys.search_segment(number)], some)
    batch.run()


def go_on(now: Segments, *, may_help: bool) -> bool:
    """Closes the newest segment, and opens the next. Only who closed it knows that nothing was put
    into the next one before; opened by others, it is filled from SQL first. Four round trips.
    """
    newest = now.newest_first[0]
    following = newest + 1
    open_segment(following, "reserve")
    closed = _close(get_client(), [keys.search_segment(newest)])
    if not closed:
        return True
    state, first, by_us = closed
    if not by_us and not may_help:
        return False
    open_segment(following, "go_on" if by_us else "fill", first=int(first), state=state)

    def wanted(now: Segments) -> Change | None:
        return {str(following): first} if now.newest_first[:1] == [newest] else None

    segments.change(wanted)
    return True


def open_segment(
    number: int, how: str, *, first: int = 0, below: int | None = None, state: str = ""
) -> str:
    """Atomic, one round trip."""
    end = "" if below is None else str(below)
    values: list[Argument] = [how, first, end, ROOM, SPARE, time.time(), state]
    opened: str = _open(get_client(), [keys.search_segment(number)], values)
    return opened
