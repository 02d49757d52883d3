"""What we assume of people: how many come, whom they follow, how often they read and write.

Every number here is an assumption, not a measurement; `docs/capacity.md` lists them.
"""

import random
from collections.abc import Iterator
from typing import NamedTuple

SEED = 11


class Habits(NamedTuple):
    monthly: float = 0.4
    """Share of the accounts that come at least once a month: only these have a home in Redis."""

    daily: float = 0.15
    follows: float = 100.0
    """On average; most follow few, some very many."""

    posts: float = 1.5
    """A day, of those who come that day. Replies and boosts are posts."""

    deeds: float = 8.0
    """Likes, bookmarks and follows."""

    pages: float = 40.0
    streams: float = 0.1
    """Share of those who come that day with an open page at the busiest moment."""

    kept_days: float = 7.5
    """How long the hash of a status lives (`statuses/store.py`)."""

    read_again: float = 0.3
    """Hashes of older statuses that somebody looked at, by those of the last days."""

    years: float = 1.0
    """Of posts in SQL."""


# What share of a day's visits each hour has, for a site whose people live near each other.
DAY = (2, 1, 1, 1, 1, 2, 4, 6, 6, 5, 5, 5, 6, 5, 5, 5, 5, 6, 7, 8, 9, 9, 7, 4)
PEAK = max(DAY) * len(DAY) / sum(DAY)


class Person(NamedTuple):
    """Somebody who comes at least once a month."""

    following: int
    followers: int
    statuses: int
    home: int
    """How many statuses the people they follow have."""


# Exponents of the distributions: the number of people with more than n falls like n^-exponent. A
# few have most of the followers; how many one follows differs less.
FOLLOWING_TAIL, FOLLOWERS_TAIL = 1.8, 1.2
MOST_FOLLOWED = 5_000
LARGEST_SHARE = 0.05


def following_counts(count: int, mean: float, seed: int = SEED) -> list[int]:
    return _power_law(count, mean, FOLLOWING_TAIL, MOST_FOLLOWED, random.Random(seed))


def typical_people(users: int, habits: Habits, *, count: int) -> list[Person]:
    """A sample of a site of this size."""
    most = max(1, round(users * LARGEST_SHARE))
    following = following_counts(count, habits.follows)
    followers = _power_law(count, habits.follows, FOLLOWERS_TAIL, most, random.Random(SEED + 1))
    statuses = round(365 * habits.years * habits.posts * habits.daily / habits.monthly)
    pairs = zip(following, followers, strict=True)
    return [Person(one, other, statuses, one * statuses) for one, other in pairs]


def _power_law(
    count: int, mean: float, exponent: float, most: int, chance: random.Random
) -> list[int]:
    """Scaled to the mean after the cap, which takes a few rounds."""
    drawn = [chance.paretovariate(exponent) for _ in range(count)]
    scale = 1.0
    for _ in range(20):
        scale *= mean * count / sum(min(most, scale * it) for it in drawn)
        if scale * max(drawn) > 1e12:
            break
    return [round(min(most, scale * it)) for it in drawn]


def followees(counts: list[int], seed: int = SEED) -> Iterator[tuple[int, int]]:
    """Pairs of follower and followee, by place: the lower the place, the more follow them."""
    chance, everybody = random.Random(seed), range(len(counts))
    weights = [(place + 1) ** (-1 / FOLLOWERS_TAIL) for place in everybody]
    for follower, wanted in enumerate(counts):
        drawn = chance.choices(everybody, weights, k=2 * wanted)
        for followee in list(dict.fromkeys(it for it in drawn if it != follower))[:wanted]:
            yield follower, followee
