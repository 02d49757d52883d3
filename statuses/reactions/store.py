"""A user's likes, boosts and bookmarks: for each a loaded set of status ids, scored by the id of
the reaction, which orders them by time.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from redistools import keys, loaded_set
from redistools.client import fail_if_away, get_client
from redistools.loaded_set import Loaded, Unknown, until_known
from redistools.scripts import Batch, Script
from redistools.writing_until_stable import write_until_stable

from ..models import Bookmark, Like, Status
from .counts import add_counts
from .rows import REACTIONS, Reaction, reaction_id

# Older ones are in SQL.
REACTIONS_KEPT = 20_000

_reader_marks = Script(__file__, "reader_marks")


class ReaderMarks(NamedTuple):
    liked: bool = False
    boosted: bool = False
    bookmarked: bool = False


NOTHING = ReaderMarks()


def add_marks(batch: Batch, user_id: int, status_ids: Sequence[int]) -> None:
    """Joins the batch that reads the statuses; `read_marks` takes the answer."""
    batch.call(
        _reader_marks, [keys.reactions(reaction, user_id) for reaction in REACTIONS], [*status_ids]
    )


def read_marks(
    answer: list[str], user_id: int, status_ids: Sequence[int]
) -> dict[int, ReaderMarks]:
    """Needs more round trips only if a set has to be loaded, or does not reach back far enough."""
    state, *marks = answer
    if state != "ok":
        marks = until_known(partial(_marks, user_id, status_ids), partial(_load, user_id))
    columns = [
        _column(reaction, user_id, status_ids, some)
        for reaction, some in zip(REACTIONS, marks, strict=True)
    ]
    return dict(zip(status_ids, map(ReaderMarks, *columns), strict=True))


def _marks(user_id: int, status_ids: Sequence[int]) -> list[str] | Unknown:
    batch = Batch(get_client())
    add_marks(batch, user_id, status_ids)
    [[state, *marks]] = batch.run()
    return marks if state == "ok" else Unknown(marks)


def _load(user_id: int, unknown: Sequence[str]) -> None:
    for key in unknown:
        ensure(key, user_id)


def _column(reaction: Reaction, user_id: int, status_ids: Sequence[int], marks: str) -> list[bool]:
    is_whole, found = marks[0] == "1", [mark == "1" for mark in marks[1:]]
    if is_whole or all(found):
        return found
    rows = rows_in_sql(reaction, user_id, among=status_ids)
    return [status_id in rows for status_id in status_ids]


def write(
    batch: Batch, reaction: Reaction, user_id: int, status_id: int, row_id: int | None
) -> None:
    """Adds the reaction; a `row_id` of None removes it. Atomic, O(log n)."""
    key = keys.reactions(reaction, user_id)
    if row_id is None:
        loaded_set.drop(batch, key, [status_id])
    else:
        loaded_set.put(batch, key, status_id, row_id, cap=REACTIONS_KEPT)


def refresh(
    reaction: Reaction, user_id: int, status_id: int, *, together: Batch | None = None
) -> bool:
    """Makes Redis say what SQL says of the reaction, and of the status's counters.

    Three queries and one round trip, unless the user changes their mind meanwhile; `together` goes
    along with it.
    """
    fail_if_away()
    waiting = [together] if together else []

    def write_reaction(row_id: int | None) -> None:
        batch = waiting.pop() if waiting else Batch(get_client())
        write(batch, reaction, user_id, status_id, row_id)
        add_counts(batch, [status_id])
        batch.run()

    return (
        write_until_stable(partial(reaction_id, reaction, user_id, status_id), write_reaction)
        is not None
    )


def newest(
    reaction: Reaction, user_id: int, *, below: int | None, limit: int
) -> list[tuple[int, int]]:
    """Pairs of status and reaction id, which is the cursor; newest first. One round trip when
    known; a query for what the set does not reach.
    """
    key = keys.reactions(reaction, user_id)
    load = partial(ensure, key, user_id)
    pairs, floor = loaded_set.scored_page(get_client(), key, load, below=below, limit=limit)
    if len(pairs) == limit or floor == 0:
        return pairs
    bounds = [floor, *([] if below is None else [below]), *(row_id for _, row_id in pairs)]
    older = _rows(reaction, user_id).filter(id__lt=min(bounds)).order_by("-id")
    return [*pairs, *older.values_list(_status(reaction), "id")[: limit - len(pairs)]]


def ensure(key: str, user_id: int) -> None:
    for reaction in REACTIONS:
        if key == keys.reactions(reaction, user_id):
            loaded_set.load(get_client(), key, partial(in_sql, reaction, user_id))


def in_sql(reaction: Reaction, user_id: int, *, limit: int | None = None) -> Loaded:
    limit = limit or REACTIONS_KEPT
    pairs = list(
        _rows(reaction, user_id).order_by("-id").values_list(_status(reaction), "id")[: limit + 1]
    )
    return Loaded(dict(pairs[:limit]), whole=len(pairs) <= limit)


def rows_in_sql(reaction: Reaction, user_id: int, *, among: Collection[int]) -> Mapping[int, int]:
    """Maps statuses to the ids of reactions."""
    wanted = {f"{_status(reaction)}__in": among}
    return dict(_rows(reaction, user_id).filter(**wanted).values_list(_status(reaction), "id"))


def _rows(reaction: Reaction, user_id: int) -> Any:
    if reaction == "boost":
        return Status.objects.filter(author_id=user_id, boost_of__isnull=False)
    return (Like if reaction == "like" else Bookmark).objects.filter(user_id=user_id)


def _status(reaction: Reaction) -> str:
    return "boost_of_id" if reaction == "boost" else "status_id"
