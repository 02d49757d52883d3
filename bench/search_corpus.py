"""A million posts to search, each made from its number: nothing has to be kept to make it again.

Words follow Zipf and Mandelbrot: some are in every third post, most of all in one alone. Every
seventh post is Chinese, with pairs of signs as terms. A topic of the day is in one post of fifty,
for some days, and then never again. Authors post more or less often by such a law, too.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from itertools import pairwise
from random import Random
from typing import NamedTuple

from redistools.ids import SEQUENCE_BITS, first_id_at
from search.index.documents import filter_term
from statuses.words.terms import Place

SEED = 20261118
# A post every five seconds.
FIRST_ID = first_id_at(datetime(2025, 1, 1, tzinfo=UTC))
STEP = 5_000 << SEQUENCE_BITS
SHORTEST, LONGEST = 3, 22
CHINESE, ANSWERS, TOPICAL = 0.15, 0.3, 0.02
DAYS_OF_A_TOPIC = 50_000
LANGUAGES = ("en", "en", "en", "de", "es", "fr")
SYLLABLES = (
    "an be chi da el fo gar hu is jo ka lin mar no or pe qua ri so tan ul vi wen xi yo za".split()
)
FIRST_SIGN, SIGNS = 0x4E00, 2_500


class Zipf(NamedTuple):
    """Ranks from 1, by the law of Zipf and Mandelbrot: 1 / (rank + shift) ** power."""

    ranks: int
    power: float
    shift: float

    def rank(self, chance: Random) -> int:
        """By the integral of the law, turned around."""
        turned = 1 - self.power
        low, high = ((it + self.shift) ** turned for it in (1, self.ranks + 1))
        return int((low + chance.random() * (high - low)) ** (1 / turned) - self.shift)


WORDS = Zipf(3_000_000, 1.15, 2.7)
CHINESE_WORDS = Zipf(30_000, 1.1, 2.7)
AUTHORS = Zipf(100_000, 0.8, 20)


class Post(NamedTuple):
    id: int
    words: Sequence[str]  # its terms, in order
    author: str
    document: list[Place]


def posts(first: int, end: int) -> Iterator[Post]:
    return map(post, range(first, end))


def post(number: int) -> Post:
    chance = Random(SEED * 2_000_000 + number)
    length = chance.randint(SHORTEST, LONGEST)
    is_chinese = chance.random() < CHINESE
    words = _chinese(chance, length) if is_chinese else _spaced(chance, length)
    if chance.random() < TOPICAL:
        words.append(topic(number))
    author = _name(chance)
    filters = [filter_term("from", author)]
    filters.append(filter_term("lang", "zh" if is_chinese else chance.choice(LANGUAGES)))
    if chance.random() < ANSWERS:
        filters += [filter_term("has", "reply"), filter_term("to", _name(chance))]
    places = [*((it,) for it in words), (), *((it,) for it in sorted(filters))]
    return Post(FIRST_ID + number * STEP, words, author, places)


def number_of(post_id: int) -> int:
    return (post_id - FIRST_ID) // STEP


def topic(number: int) -> str:
    return f"topic{number // DAYS_OF_A_TOPIC}"


def _spaced(chance: Random, length: int) -> list[str]:
    return [word(WORDS.rank(chance)) for _ in range(length)]


def _chinese(chance: Random, length: int) -> list[str]:
    """One run: each sign with the next, and the last one."""
    ranks = [CHINESE_WORDS.rank(chance) for _ in range(length // 2 + 1)]
    signs = "".join(map(chinese_word, ranks))[:length]
    return [*("".join(pair) for pair in pairwise(signs)), signs[-1]]


@cache
def word(rank: int) -> str:
    """Common words are short."""
    syllables = []
    while rank:
        rank, rest = divmod(rank - 1, len(SYLLABLES))
        syllables.append(SYLLABLES[rest])
    return "".join(syllables)


@cache
def chinese_word(rank: int) -> str:
    """Two signs."""
    chance = Random(rank)
    return "".join(chr(FIRST_SIGN + int(SIGNS ** chance.random())) for _ in range(2))


def _name(chance: Random) -> str:
    return f"person{AUTHORS.rank(chance)}"
