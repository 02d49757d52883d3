"""What goes on on the site: boards of tags and posts (`redistools/board.py`), where each person
counts once.

They are statistics, not copies of SQL: a board that is lost starts over. Their cost does not grow
with the site: a board has a fixed size, and remembers a fixed number of people for each item.
"""

from collections.abc import Collection, Sequence
from typing import Any, Literal, NamedTuple

from redistools import keys
from redistools.client import get_client
from redistools.ids import EPOCH_MS, SEQUENCE_BITS
from redistools.scripts import Batch, Script

HOUR_MS = 3600 * 1000
DAY_MS = 24 * HOUR_MS

Response = Literal["like", "boost", "reply"]
WEIGHTS: dict[Response, float] = {"like": 1, "boost": 2, "reply": 1.5}

_count = Script(__file__, "count")
_trending_tags = Script(__file__, "trending_tags")


class Board(NamedTuple):
    name: str
    half_life_ms: int
    size: int
    again_ms: int | None  # a person counts again after this long; None: never
    people: int  # how many are remembered for each item
    memory_seconds: int  # they are forgotten after this long without a count


# A tag that more people have used today says "1,000+".
TAGS = Board("tags", 6 * HOUR_MS, 500, HOUR_MS, 1_000, 24 * 3600)
# After a week nothing is left of a count but a 16,000th.
POSTS = Board("posts", 12 * HOUR_MS, 1_000, None, 300, 7 * 24 * 3600)


class TrendingTag(NamedTuple):
    name: str  # folded, as in its address
    written: str  # as somebody wrote it last
    people: int  # who used it within a day, as far as they are remembered

    @property
    def has_more_people(self) -> bool:
        return self.people >= TAGS.people


class Ranked(NamedTuple):
    id: int
    score: float


def count_tag(batch: Batch, tag: str, *, written: str, user_id: int, event_id: int) -> None:
    """`event_id`: the status with the tag. Counts once an hour. Atomic, O(log n)."""
    _add(batch, TAGS, [keys.trending_written()], tag, user_id, event_id, 1, written)


def count_post(
    batch: Batch, status_id: int, response: Response, *, user_id: int, event_id: int
) -> None:
    """`event_id` says when. Counts once. Atomic, O(log n)."""
    person = f"{response}:{user_id}"
    _add(batch, POSTS, [], status_id, person, event_id, WEIGHTS[response])


def _add(
    batch: Batch,
    board: Board,
    more_keys: list[str],
    item: str | int,
    person: str | int,
    event_id: int,
    weight: float,
    written: str = "",
) -> None:
    people = keys.trending_people(board.name)
    names = [keys.trending(board.name), f"{people}{item}", *more_keys]
    again = "" if board.again_ms is None else board.again_ms
    batch.call(
        _count,
        names,
        [
            *(item, person, _moment(event_id), weight, board.half_life_ms, board.size),
            *(again, board.people, board.memory_seconds, people, written, EPOCH_MS),
        ],
    )


def _moment(event_id: int) -> float:
    """In ms since the epoch of ids, with the sequence behind the point: no two posts score the
    same.
    """
    return event_id / (1 << SEQUENCE_BITS)


def trending_tags(limit: int, *, now_ms: int | None = None) -> list[TrendingTag]:
    """Tags used within a day, highest first. Atomic, one round trip."""
    batch = Batch(get_client())
    add_trending_tags(batch, limit, now_ms=now_ms)
    (answer,) = batch.run()
    return trending_in(answer)


def add_trending_tags(batch: Batch, limit: int, *, now_ms: int | None = None) -> None:
    """To be sent along with something else; `trending_in` gets the answer."""
    names = [keys.trending(TAGS.name), keys.trending_written()]
    now = "" if now_ms is None else now_ms
    batch.call(_trending_tags, names, [keys.trending_people(TAGS.name), now, DAY_MS, limit])


def trending_in(answer: Sequence[Any]) -> list[TrendingTag]:
    triples = zip(answer[::3], answer[1::3], answer[2::3], strict=True)
    return [TrendingTag(name, written, people) for name, written, people in triples]


def popular(*, below: float | None = None, limit: int = POSTS.size) -> Sequence[Ranked]:
    """Posts below this score, highest first. One round trip.

    A score only ever rises, so what is below was never above: pages have no repeats.
    """
    highest = "+inf" if below is None else f"({below!r}"
    found: Any = get_client().zrevrangebyscore(
        keys.trending(POSTS.name), highest, "-inf", start=0, num=limit, withscores=True
    )
    return [Ranked(int(status_id), score) for status_id, score in found]


def forget_posts(status_ids: Collection[int]) -> None:
    people = keys.trending_people(POSTS.name)
    batch = Batch(get_client())
    batch.add("ZREM", keys.trending(POSTS.name), *status_ids)
    for status_id in status_ids:
        batch.add("UNLINK", f"{people}{status_id}")
    batch.run()
