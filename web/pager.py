"""The one pager: a page of rows, some of which are hidden from its reader.

`read` gets where to go on and how many to read; `keep` gets what was found, and gives what is
shown. Most pages take one read; where much is hidden, each read is longer than the one before.
"""

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

# How often a page reads on, and how much at once, in some ten milliseconds. Then it ends early, and
# the next one goes on.
ROUNDS, MOST_AT_ONCE = 8, 400

Rows = TypeVar("Rows")
Shown = TypeVar("Shown")
Cursor = TypeVar("Cursor")
Rows_co = TypeVar("Rows_co", covariant=True)
Shown_co = TypeVar("Shown_co", covariant=True)
Cursor_co = TypeVar("Cursor_co", covariant=True)


class Step(NamedTuple, Generic[Rows_co, Cursor_co]):
    found: Rows_co
    rest: Cursor_co | None  # where the next read goes on; None at the end


class Visible(NamedTuple, Generic[Shown_co, Cursor_co]):
    rows: list[Shown_co]
    rest: Cursor_co | None  # the cursor of the next page; None if there is none


Read = Callable[[Cursor | None, int], Step[Rows, Cursor]]
Keep = Callable[[Rows], Sequence[Shown]]


def past_hidden(
    read: Read[Cursor, Rows],
    keep: Keep[Rows, Shown],
    start: Cursor | None,
    *,
    limit: int,
    rounds: int | None = None,
    most: int | None = None,
) -> Visible[Shown, Cursor]:
    """At least `limit` rows, if that many exist and `rounds` suffice: perhaps a few more.

    Twice as many as were left out are read next, so even a page full of them takes a few steps.
    """
    rows: list[Shown] = []
    rest, seen, longest = start, 0, most or MOST_AT_ONCE
    for _ in range(rounds or ROUNDS):
        asked = min(longest, max(limit - len(rows), 2 * (seen - len(rows))))
        found, rest = read(rest, asked)
        rows += keep(found)
        seen += asked
        if rest is None or len(rows) >= limit:
            break
    return Visible(rows, rest)


def page(
    read: Read[Cursor, Rows],
    keep: Keep[Rows, Shown],
    start: Cursor | None,
    *,
    size: int,
    cursor_of: Callable[[Shown], Cursor],
    rounds: int | None = None,
) -> Visible[Shown, Cursor]:
    """At most `size` rows; one more is looked for, to know whether another page follows."""
    rows, rest = past_hidden(read, keep, start, limit=size + 1, rounds=rounds)
    if len(rows) <= size:
        return Visible(rows, rest)
    return Visible(rows[:size], cursor_of(rows[size - 1]))


def rest_after(cursors: Sequence[Cursor], limit: int) -> Cursor | None:
    """For `read`: there may be more if as many were found as were asked for."""
    return cursors[-1] if len(cursors) >= limit else None
