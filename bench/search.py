"""How fast are posts found among a million, by SQL alone, and with the window in Redis before it?

Both get the same posts, 50 at a time, and are asked the same queries, in turn; they must find the
same. Nothing is posted or shown: what is measured is the index. Rates are by processor time, of the
one who asks and of the servers. For p50 and p99 each query has the best of its rounds, so what is
slow at p99 is slow by itself, not because the machine was busy.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

from django.conf import settings
from django.db import connection

from bench import search_corpus as corpus
from bench.blocking import longest, usual_longest
from bench.frame import Stage, median
from bench.growth import exponent
from bench.on_postgres import on_postgres
from bench.processor_time import servers
from bench.report import Figure, Target
from bench.search_indexes import (
    begin_window,
    bytes_in_postgres,
    bytes_in_sqlite,
    change_index,
    copy_to_postgres,
    find_in_sql,
    learn,
    time_of_writing,
    write_to_sql,
    write_to_window,
)
from bench.search_queries import KINDS, Times, ask, calls, differences, measured, typed
from bench.used_memory import used_memory
from redistools.chunks import chunks
from redistools.client import get_client
from search.index.newest import newest

POSTS = 1_000_000
QUERIES, ROUNDS = 200, 5
# Written to one before it is the other's turn.
TURN = 5_000
# Written to PostgreSQL 50 at a time, to learn how fast; those before are copied.
MEASURED = 20_000
TITLES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
WAYS = {"alone": find_in_sql, "windowed": newest}
GROWING = ("two common words", "two words of a post")
ONE, TWO, FOUR = (Target("at least", bound) for bound in (0.5, 1.8, 2.5))
RATES = {
    "SQLite: one common word": ONE,
    "SQLite: one word of middle rank": ONE,
    "SQLite: one word of a post": ONE,
    "SQLite: two common words": TWO,
    "SQLite: two words of a post": TWO,
    "SQLite: four words of a post": FOUR,
}
TIMES = {"PostgreSQL: two common words, p50": Target("at most", 0.2)}

Taken = Mapping[str, Times]


@dataclass
class Writing:
    """Seconds of a processor, and the longest call of Redis of each turn."""

    to_sql: float = 0.0
    to_window: float = 0.0
    longest: list[float] = field(default_factory=list)

    def take_turns(self, posts: Iterable[corpus.Post]) -> None:
        for some in chunks(posts, TURN):
            self.to_sql += time_of_writing(write_to_sql, some)
            self.longest.append(longest(partial(self._write_to_window, some)))

    def _write_to_window(self, posts: Sequence[corpus.Post]) -> None:
        self.to_window += time_of_writing(write_to_window, posts)


def measure(stage: Stage) -> dict[str, Figure]:
    """The window that is filled beside SQLite is measured beside PostgreSQL too."""
    return beside_sqlite(stage) | on_postgres(
        __name__, "beside_postgres", stage.scale, redis_url=str(settings.REDIS_URL)
    )


def beside_sqlite(stage: Stage) -> dict[str, Figure]:
    get_client().config_set("appendonly", "no")
    begin_window(2 * POSTS)
    sizes = [stage.size(POSTS // part, least=1_000 // part) for part in (100, 10, 1)]
    before, writing = (bytes_in_sqlite(), used_memory()), Writing()
    grown: dict[str, list[Taken]] = {kind: [] for kind in GROWING}
    for first, end in pairwise([0, *sizes]):
        writing.take_turns(corpus.posts(first, end))
        print(f"{end:,} posts are in SQLite and in the window", flush=True)
        for kind, found in grown.items():
            found.append(taken_by(stage, typed(kind, end, queries(stage))))
    grew = bytes_in_sqlite() - before[0], used_memory() - before[1]
    return (
        figures_of_writing(sizes[-1], grew, writing)
        | figures_of_growth(sizes, grown)
        | figures_of_finding(stage, sizes[-1])
        | figures_of_blocking(stage, sizes[-1], writing)
    )


def beside_postgres(stage: Stage) -> dict[str, Figure]:
    posts, some = (stage.size(it, least=1_000) for it in (POSTS, MEASURED))
    copy_to_postgres(corpus.posts(0, posts))
    learn()
    print(f"{posts:,} posts are in PostgreSQL", flush=True)
    in_all, in_table = bytes_in_postgres()
    found = figures_of_finding(stage, posts)
    alone = rate_of_writing(posts, posts + some)
    change_index("(fastupdate = on)")
    with_list = rate_of_writing(posts + some, posts + 2 * some)
    return found | {
        "size of the index in PostgreSQL": Figure(
            *(in_all / posts, in_table / posts, "bytes a post", "its table, without the GIN"),
            smaller_is_better=True,
        ),
        "posts written to PostgreSQL": Figure(
            *(alone, with_list, "a second of a processor"),
            "with a list beside the GIN, which each search would read",
        ),
    }


def rate_of_writing(first: int, end: int) -> float:
    return (end - first) / time_of_writing(write_to_sql, list(corpus.posts(first, end)))


def figures_of_writing(posts: int, grew: tuple[int, int], writing: Writing) -> dict[str, Figure]:
    in_sqlite, in_window = grew
    return {
        "memory of the window": Figure(
            *(in_window / posts, in_sqlite / posts, "bytes a post", "the index in SQLite"),
            smaller_is_better=True,
            target=Target("at most", 70, of="ours"),
        ),
        "posts written to the window": Figure(
            *(posts / writing.to_window, posts / writing.to_sql, "a second of a processor"),
            "to the index in SQLite",
        ),
    }


def queries(stage: Stage) -> int:
    return stage.size(QUERIES, least=20)


def taken_by(stage: Stage, texts: Sequence[str]) -> Taken:
    return measured(WAYS, texts, servers(), stage.size(ROUNDS, least=2))


def refuse_differences(texts: Sequence[str]) -> None:
    if wrong := list(differences(WAYS, texts)):
        sys.exit(f"With the window, others are found for {', '.join(wrong)}")


def figures_of_finding(stage: Stage, posts: int) -> dict[str, Figure]:
    figures: dict[str, Figure] = {}
    for kind in KINDS:
        texts = typed(kind, posts, queries(stage))
        refuse_differences(texts)
        figures |= figures_of_kind(f"{title()}: {kind}", taken_by(stage, texts))
    return figures


def figures_of_kind(name: str, taken: Taken) -> dict[str, Figure]:
    alone, windowed = taken["alone"], taken["windowed"]
    rate = Figure(
        1 / windowed.processor,
        1 / alone.processor,
        *("a second of a processor", f"{title()} alone"),
        target=RATES.get(name),
    )
    return {name: rate} | {
        f"{name}, {percent}": Figure(
            1e6 * getattr(windowed, percent),
            1e6 * getattr(alone, percent),
            *("µs", f"{title()} alone"),
            smaller_is_better=True,
            target=TIMES.get(f"{name}, {percent}"),
        )
        for percent in ("p50", "p99")
    }


def title() -> str:
    return TITLES[connection.vendor]


def figures_of_growth(
    sizes: Sequence[int], grown: Mapping[str, Sequence[Taken]]
) -> dict[str, Figure]:
    def growth(found: Sequence[Taken], way: str) -> float:
        return exponent(sizes, [it[way].processor for it in found])

    return {
        f"growth exponent: {kind} among n": Figure(
            growth(found, "windowed"),
            growth(found, "alone"),
            *("exponent", "SQLite alone"),
            smaller_is_better=True,
            target=Target("at most", 0.5, of="ours"),
        )
        for kind, found in grown.items()
    }


def figures_of_blocking(stage: Stage, posts: int, writing: Writing) -> dict[str, Figure]:
    """By wall time, so a call that the kernel interrupted looks long: of several runs, the median
    of the longest.
    """
    texts = [it for kind in KINDS for it in typed(kind, posts, queries(stage))]
    pages = [calls(newest, it) for it in texts]

    def find() -> None:
        for page in pages:
            ask(newest, page)

    found = {"posts are found": usual_longest(find), "posts are written": median(writing.longest)}
    return {
        f"longest call of Redis: {name}": Figure(
            *(
                ours,
                max(writing.longest),
                "ms",
                "the longest of all that wrote, interrupted or not",
            ),
            smaller_is_better=True,
            target=Target("at most", 5.0, of="ours"),
        )
        for name, ours in found.items()
    }
