"""Queries as people type them, of every kind, and how long an index takes for each."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from random import Random
from typing import NamedTuple

from bench import search_corpus as corpus
from bench.frame import median, percentile, seconds
from bench.processor_time import spent
from redistools.ids import time_of
from search.index.wanted import Bounds, Wanted
from search.query.meaning import meaning_of
from search.query.parsing import parse
from timelines.reading.paging import PAGE_SIZE
from web import pager

COMMON, COMMONEST = range(20, 201), range(1, 51)
MIDDLE = range(2_000, 20_001)

Find = Callable[[Wanted, Bounds, int], list[int]]
Kind = Callable[[Random, int], str]


class Call(NamedTuple):
    """What a page asks an index for: more than once, if it gave posts that do not fit."""

    wanted: Wanted
    bounds: Bounds
    limit: int


class Times(NamedTuple):
    """Seconds. Each query has the best of its rounds, so the worst are slow by themselves."""

    processor: float
    p50: float
    p99: float


def typed(kind: str, posts: int, count: int) -> list[str]:
    """Among so many posts."""
    chance = Random(kind)
    return [KINDS[kind](chance, posts) for _ in range(count)]


def _one_of(ranks: Sequence[int], chance: Random, _posts: int) -> str:
    return corpus.word(chance.choice(ranks))


def _two_common(chance: Random, _posts: int) -> str:
    return " ".join(map(corpus.word, chance.sample(COMMON, 2)))


def _of_a_post(count: int, chance: Random, posts: int) -> str:
    while True:
        words = sorted({*corpus.post(chance.randrange(posts)).words})
        if len(words) >= count:
            return " ".join(chance.sample(words, count))


def _either(chance: Random, posts: int) -> str:
    return _two_common(chance, posts).replace(" ", " OR ")


def _without(chance: Random, posts: int) -> str:
    return f"{_one_of(COMMON, chance, posts)} -{_one_of(COMMONEST, chance, posts)}"


def _phrase(chance: Random, posts: int) -> str:
    words = corpus.post(chance.randrange(posts)).words
    place = chance.randrange(len(words) - 1)
    one, other = words[place : place + 2]
    return f'"{one}{other[1:] if one[1:] == other[:1] else f" {other}"}"'


def _author(chance: Random, posts: int) -> str:
    return f"from:{corpus.post(chance.randrange(posts)).author}"


def _word_of_author(chance: Random, posts: int) -> str:
    return f"{_one_of(COMMON, chance, posts)} {_author(chance, posts)}"


def _before(chance: Random, posts: int) -> str:
    """In the first half of the time."""
    day = time_of(corpus.FIRST_ID + chance.randrange(posts // 8, posts // 2) * corpus.STEP)
    return f"{_one_of(COMMON, chance, posts)} until:{day:%Y-%m-%d}"


def _past_topic(chance: Random, posts: int) -> str:
    return corpus.topic(chance.randrange(posts // 2))


KINDS: Mapping[str, Kind] = {
    "one common word": partial(_one_of, COMMON),
    "one word of middle rank": partial(_one_of, MIDDLE),
    "one word of a post": partial(_of_a_post, 1),
    "two common words": _two_common,
    "two words of a post": partial(_of_a_post, 2),
    "four words of a post": partial(_of_a_post, 4),
    "common OR common": _either,
    "common -common": _without,
    "a phrase": _phrase,
    "from:": _author,
    "common from:": _word_of_author,
    "common until:": _before,
    "a word of the past": _past_topic,
}


def calls(find: Find, text: str) -> list[Call]:
    """Those of the first page, past what does not fit."""
    meaning = meaning_of(parse(text), viewer=None)
    made: list[Call] = []

    def read(before: int | None, limit: int) -> pager.Step[list[int], int]:
        below = meaning.bounds.below if before is None else before
        made.append(Call(meaning.wanted, meaning.bounds._replace(below=below), limit))
        ids = find(*made[-1])
        return pager.Step(ids, pager.rest_after(ids, limit))

    def fitting(ids: list[int]) -> list[int]:
        return [it for it in ids if meaning.wanted.fits(_document(it))]

    pager.page(read, fitting, None, size=PAGE_SIZE, cursor_of=lambda it: it)
    return made


def found(find: Find, text: str) -> list[int]:
    """The posts of the first page that fit."""
    wanted = meaning_of(parse(text), viewer=None).wanted
    ids = (it for call in calls(find, text) for it in find(*call))
    return [it for it in ids if wanted.fits(_document(it))][:PAGE_SIZE]


def _document(post_id: int) -> list[tuple[str, ...]]:
    return corpus.post(corpus.number_of(post_id)).document


def measured(
    ways: Mapping[str, Find], texts: Sequence[str], servers: Sequence[int], rounds: int
) -> dict[str, Times]:
    """They take turns."""
    pages = {way: [calls(find, it) for it in texts] for way, find in ways.items()}
    processor: dict[str, list[float]] = {way: [] for way in ways}
    taken: dict[str, list[list[float]]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way, find in ways.items():
            begun = spent(servers)
            taken[way].append([seconds(partial(ask, find, page)) for page in pages[way]])
            processor[way].append((spent(servers) - begun) / len(texts))
    best = {way: [min(it) for it in zip(*some, strict=True)] for way, some in taken.items()}
    return {
        way: Times(median(processor[way]), median(best[way]), percentile(best[way], 99))
        for way in ways
    }


def ask(find: Find, page: Sequence[Call]) -> None:
    for call in page:
        find(*call)


def differences(ways: Mapping[str, Find], texts: Sequence[str]) -> Iterator[str]:
    """Queries for which they find different posts."""
    for text in texts:
        if len({tuple(found(find, text)) for find in ways.values()}) > 1:
            yield text
