"""How does the cost grow with the site? Three sizes a factor of ten apart, and the exponent.

An exponent of 0 means that size does not matter, 1 that ten times the size costs ten times as much.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from bench import book
from bench.follow import prepare_the_book
from bench.frame import Stage, interleaved, median
from bench.home import AUTHORS, STATUSES_EACH, read_by_join, reader_of
from bench.population import make_author, make_homes, make_statuses, make_users
from bench.report import Figure, Target
from redistools.client import get_client
from relations.services import follow, unfollow
from statuses.models import Status, status_ids
from statuses.words.terms import phrase_of, words_of
from streaming.asked.matching import Filter, matches
from streaming.engine.index import StreamIndex
from streaming.event import StatusFacts
from timelines import fan_out, selectors
from users.models import User

ALMOST_FLAT = Target("at most", 0.15, of="ours")


class Pair(NamedTuple):
    """The same work done by us and by the baseline, at one size."""

    ours: Callable[[], object]
    baseline: Callable[[], object]


class Question(NamedTuple):
    name: str
    baseline_is: str
    sizes: Sequence[int]
    pairs: Callable[[Stage, Sequence[int]], list[Pair]]
    rounds: int
    target: Target | None = None


def measure(stage: Stage) -> dict[str, Figure]:
    figures: dict[str, Figure] = {}
    for question in QUESTIONS:
        figures |= answer(stage, question)
    return figures


def answer(stage: Stage, question: Question) -> dict[str, Figure]:
    sizes = [stage.size(size, least=2 * 2**place) for place, size in enumerate(question.sizes)]
    pairs = question.pairs(stage, sizes)
    # All sizes in every round: a busy minute of the machine must not look like growth.
    works = {
        f"{way} {n}": getattr(pair, way) for n, pair in enumerate(pairs) for way in Pair._fields
    }
    taken = interleaved(works, rounds=stage.size(question.rounds, least=3))
    ours, baseline = (
        [median(taken[f"{way} {n}"]) for n in range(len(pairs))] for way in Pair._fields
    )
    figures = {
        f"{question.name} {size:,}": Figure(
            1e6 * mine, 1e6 * theirs, "µs", question.baseline_is, smaller_is_better=True
        )
        for size, mine, theirs in zip(sizes, ours, baseline, strict=True)
    }
    figures[f"growth exponent: {question.name} n"] = Figure(
        exponent(sizes, ours),
        exponent(sizes, baseline),
        *("exponent", question.baseline_is, True, question.target),
    )
    return figures


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """The slope of the least-squares line through the logarithms."""
    xs, ys = [math.log(size) for size in sizes], [math.log(taken) for taken in seconds]
    middle_x, middle_y = sum(xs) / len(xs), sum(ys) / len(ys)
    pairs = list(zip(xs, ys, strict=True))
    slope = sum((x - middle_x) * (y - middle_y) for x, y in pairs)
    return slope / sum((x - middle_x) ** 2 for x in xs)


def fan_outs(_stage: Stage, sizes: Sequence[int]) -> list[Pair]:
    people = make_users(sizes[-1])
    make_homes(people, depth=100)
    book.make_homes(people, Status.objects.values_list("id", flat=True)[:100])
    return [fan_out_to(people[:size]) for size in sizes]


def fan_out_to(followers: range) -> Pair:
    author = make_author(followers)
    book.load_followers(author.pk)

    def ours() -> None:
        legs = fan_out.all_legs(author)
        fan_out.deliver(legs, status_ids.next(get_client()), budget=10**9)

    def by_the_book() -> None:
        status_id, start = status_ids.next(get_client()), 0
        while (rest := book.serve_pass(status_id, author.pk, start)) is not None:
            start = rest

    return Pair(ours, by_the_book)


def home_reads(stage: Stage, sizes: Sequence[int]) -> list[Pair]:
    authors = make_users(stage.size(AUTHORS, least=10))
    make_statuses(authors, each=STATUSES_EACH)
    readers = [reader_of(authors, size) for size in sizes]
    return [
        Pair(partial(selectors.home, reader), partial(read_by_join, reader)) for reader in readers
    ]


def follows(_stage: Stage, sizes: Sequence[int]) -> list[Pair]:
    people = make_users(sizes[-1])
    (reader_id,) = make_users(1)
    reader = User.objects.get(pk=reader_id)
    selectors.home(reader)
    return [follow_one_of(people[:size], reader) for size in sizes]


def follow_one_of(followers: range, reader: User) -> Pair:
    """Somebody with this many followers, and a hundred statuses."""
    followee = make_author(followers)
    make_statuses(range(followee.pk, followee.pk + 1), each=100)
    book.load_followers(followee.pk)
    prepare_the_book(reader, followee)

    def ours() -> None:
        follow(follower=reader, followee=followee)
        unfollow(follower=reader, followee=followee)

    def by_the_book() -> None:
        book.follow(reader.pk, followee.pk, 1)
        book.unfollow(reader.pk, followee.pk)

    return Pair(ours, by_the_book)


def stream_matches(_stage: Stage, sizes: Sequence[int]) -> list[Pair]:
    return [match_among(size) for size in sizes]


def match_among(clients: int) -> Pair:
    """Each tracks its own word; three track one that is in the status."""
    filters = {n: Filter(track=frozenset({phrase_of(f"word{n}")})) for n in range(clients)}
    filters |= {-n: Filter(track=frozenset({phrase_of("rare")})) for n in (1, 2, 3)}
    index: StreamIndex[int] = StreamIndex()
    for client, wanted in filters.items():
        index.add(client, wanted)
    text = "A rare word among the others that most statuses are made of, day by day"

    def ours() -> None:
        index.find(StatusFacts(id=1, author_id=2, words=words_of(text, ())))

    def ask_each() -> None:
        status = StatusFacts(id=1, author_id=2, words=words_of(text, ()))
        for wanted in filters.values():
            matches(wanted, status)

    return Pair(ours, ask_each)


QUESTIONS = (
    Question("fan-out to", "the book's way", (100, 1_000, 10_000), fan_outs, 7),
    Question(
        "home read, following",
        *("a SQL join over follows and statuses", (10, 100, 1_000), home_reads, 60, ALMOST_FLAT),
    ),
    Question(
        "follow and unfollow, followers:", "the book's way", (100, 1_000, 10_000), follows, 40
    ),
    Question(
        "stream matching, clients:",
        *("asking each client", (100, 1_000, 10_000), stream_matches, 40, ALMOST_FLAT),
    ),
)
