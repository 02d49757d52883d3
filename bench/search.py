"""How fast are posts found among a million, by SQL alone, and with the window in Redis before it?

Both get the same posts, 50 at a time, and are asked the same queries, in turn; they must find the
same. Nothing is posted or shown: what is measured is the index. Rates are by processor time, of the
one who asks and of the servers. For p50 and p99 each query has the best of its rounds, so what is
slow at p99 is slow by itself, not because the machine was busy.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, pairwise
from typing import NamedTuple

from django.db import connection

from bench import search_corpus as corpus
from bench.blocking import usual_longest
from bench.frame import Stage
from bench.growth import exponent
from bench.on_postgres import on_postgres
from bench.report import Figure, Target
from bench.search_indexes import (
    begin_window,
    bytes_in_sql,
    find_in_sql,
    learn,
    refuse_big_sets,
    servers,
    time_of_writing,
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


class Written(NamedTuple):
    """A post: bytes, and seconds of a processor."""

    size: float
    processor: float


def measure(stage: Stage) -> dict[str, Figure]:
    return on_this_database(stage) | on_postgres(__name__, "on_this_database", stage.scale)


def on_this_database(stage: Stage) -> dict[str, Figure]:
    refuse_big_sets()
    get_client().config_set("appendonly", "no")
    sizes = [stage.size(POSTS // part, least=1_000 // part) for part in (100, 10, 1)]
    begin_window(2 * POSTS)
    before = bytes_in_sql(), used_memory()
    grown, processor = fill(sizes)
    grew = bytes_in_sql() - before[0], used_memory() - before[1]
    texts = {kind: typed(kind, sizes[-1], stage.size(QUERIES, least=20)) for kind in KINDS}
    compare(texts)
    rounds = stage.size(ROUNDS, least=2)
    taken = {kind: measured(WAYS, some, servers(), rounds) for kind, some in texts.items()}
    return (
        figures_of_writing(*(Written(*it) for it in per_post(sizes[-1], grew, processor)))
        | figures_of_finding(taken)
        | figures_of_growth(sizes, grown)
        | figures_of_blocking(sizes[-1], texts)
    )


def fill(sizes: Sequence[int]) -> tuple[dict[str, list[Taken]], tuple[float, float]]:
    """What two words take at each size, and the processor time of writing to each."""
    grown: dict[str, list[Taken]] = {kind: [] for kind in GROWING}
    to_sql, to_window = 0.0, 0.0
    for first, end in pairwise([0, *sizes]):
        for some in chunks(corpus.posts(first, end), TURN):
            taken = time_of_writing(some)
            to_sql, to_window = to_sql + taken[0], to_window + taken[1]
        learn()
        print(f"{end:,} posts are in {title()} and in the window", flush=True)
        for kind, found in grown.items():
            found.append(measured(WAYS, typed(kind, end, QUERIES), servers(), ROUNDS))
    return grown, (to_sql, to_window)


def per_post(
    posts: int, grew: tuple[int, int], processor: tuple[float, float]
) -> Iterator[tuple[float, float]]:
    return ((size / posts, time / posts) for size, time in zip(grew, processor, strict=True))


def compare(texts: Mapping[str, Sequence[str]]) -> None:
    for some in texts.values():
        if wrong := list(differences(WAYS, some)):
            sys.exit(f"With the window, others are found for {', '.join(wrong)}")


def title() -> str:
    return TITLES[connection.vendor]


def figures_of_writing(alone: Written, window: Written) -> dict[str, Figure]:
    return {
        f"{title()}: memory of the window": Figure(
            window.size,
            alone.size,
            *("bytes a post", f"the index in {title()}"),
            smaller_is_better=True,
            target=Target("at most", 70, of="ours"),
        ),
        f"{title()}: posts indexed": Figure(
            1 / window.processor,
            1 / alone.processor,
            *("a second of a processor", f"the index in {title()}"),
        ),
    }


def figures_of_finding(taken: Mapping[str, Taken]) -> dict[str, Figure]:
    figures: dict[str, Figure] = {}
    for kind, it in taken.items():
        name, (alone, windowed) = f"{title()}: {kind}", (it["alone"], it["windowed"])
        figures[name] = Figure(
            1 / windowed.processor,
            1 / alone.processor,
            *("a second of a processor", f"{title()} alone"),
            target=RATES.get(name),
        )
        for percent in ("p50", "p99"):
            figures[f"{name}, {percent}"] = Figure(
                *(1e6 * getattr(way, percent) for way in (windowed, alone)),
                *("µs", f"{title()} alone"),
                smaller_is_better=True,
                target=TIMES.get(f"{name}, {percent}"),
            )
    return figures


def figures_of_growth(
    sizes: Sequence[int], grown: Mapping[str, Sequence[Taken]]
) -> dict[str, Figure]:
    def growth(found: Sequence[Taken], way: str) -> float:
        return exponent(sizes, [it[way].processor for it in found])

    return {
        f"growth exponent: {kind} among n posts, {title()}": Figure(
            growth(found, "windowed"),
            growth(found, "alone"),
            *("exponent", f"{title()} alone"),
            smaller_is_better=True,
            target=Target("at most", 0.5, of="ours"),
        )
        for kind, found in grown.items()
    }


def figures_of_blocking(posts: int, texts: Mapping[str, Sequence[str]]) -> dict[str, Figure]:
    """By wall time, so a call that the kernel interrupted looks long: of several runs, the median
    of the longest.
    """
    pages = [calls(newest, it) for some in texts.values() for it in some]
    following = count(posts, TURN // 10)

    def find() -> None:
        for page in pages:
            ask(newest, page)

    def write() -> None:
        first = next(following)
        write_to_window(corpus.posts(first, first + TURN // 10))

    baseline = usual_longest(lambda: get_client().ping())
    return {
        f"longest call of Redis: {name}, {title()}": Figure(
            usual_longest(work),
            baseline,
            *("ms", "the threshold of the log"),
            smaller_is_better=True,
            target=Target("at most", 5.0, of="ours"),
        )
        for name, work in {"posts are found": find, "posts are indexed": write}.items()
    }
