"""Who is offered for what somebody types, among a million people?

Every beginning that many names share has its list; 150 typed ones are compared with an oracle that
has read all names. The baseline is the book's: one sorted set of all names, of which a raw
`ZRANGEBYLEX` reads the first eight of the alphabet.
"""

import random
from collections.abc import Iterator, Sequence
from functools import partial
from heapq import nlargest
from typing import NamedTuple

from django.db import connection, transaction

from bench.frame import Stage, interleaved
from bench.population import insert
from bench.report import Figure, Target
from bench.used_memory import growth_of_memory
from redistools.chunks import chunks
from redistools.client import get_client
from redistools.scripts import Batch
from search.completion import lists
from search.completion.lists import Run
from search.completion.names import NAMES
from search.completion.offering import SHOWN
from users.models import NameWord, User

PEOPLE = 1_000_000
TYPED = 150
ROUNDS = 20
LONGEST = 6
BOOK = "bench:names"
SYLLABLES = (
    "an be chi da el fo gar hu is jo ka lin mar no or pe qua ri so tan ul vi wen xi yo za".split()
)


class Word(NamedTuple):
    user_id: int
    word: str


def measure(stage: Stage) -> dict[str, Figure]:
    get_client().config_set("appendonly", "no")
    count = stage.size(PEOPLE, least=500)
    make_people(count)
    words = list(make_words(count))
    typed = beginnings(words)
    ours = growth_of_memory(NAMES.load_all) / count
    theirs = growth_of_memory(partial(write_book, words)) / count
    listed = [it for it in typed if NAMES.ranking.all_of([it], most=lists.SHARED_BY) is None]
    listed = listed or typed
    taken = interleaved(
        {
            "lists": partial(ask_each, listed),
            "book of lists": partial(ask_the_book, listed),
            "all": partial(ask_each, typed),
            "book": partial(ask_the_book, typed),
        },
        rounds=ROUNDS,
    )
    rates = {name: 1 / min(some) for name, some in taken.items()}
    right = oracle(words, typed)
    return {
        "completion: the true first eight": Figure(
            100 * mean([first_eight(it) == right[it] for it in typed]),
            100 * mean([in_the_book(it) == right[it] for it in typed]),
            *("% of 150 beginnings", "the first eight of the alphabet"),
            target=Target("at least", 100, of="ours"),
        ),
        "completion: beginnings that many share": Figure(
            rates["lists"] * len(listed),
            rates["book of lists"] * len(listed),
            *("a second", "one raw ZRANGEBYLEX"),
            target=Target("at least", 0.7),
        ),
        "completion: all beginnings, rare ones in SQL": Figure(
            rates["all"] * len(typed), rates["book"] * len(typed), "a second", "one raw ZRANGEBYLEX"
        ),
        "completion: lists in Redis": Figure(
            *(ours, theirs, "bytes a person", "one sorted set of all names"),
            smaller_is_better=True,
            target=Target("at most", 10, of="ours"),
        ),
    }


def mean(found: Sequence[bool]) -> float:
    return sum(found) / len(found)


def followers_of(user_id: int, count: int) -> int:
    """Few have many; spread over all ids."""
    return count // (1 + user_id * 7919 % count)


def make_people(count: int) -> None:
    name = "'person' || (1 + n)"
    expressions = {"username": name, "email": f"{name} || '@example.com'"}
    followers = f"{count} / (1 + (1 + n) * 7919 % {count})"
    pattern = User(username="", email="", password="!")
    insert(pattern, count, id="1 + n", followers_count=followers, **expressions)


def make_words(count: int) -> Iterator[Word]:
    """Two to four for each, popular ones for many, in SQL too."""
    chance = random.Random(20261118)
    known = ["".join(chance.choices(SYLLABLES, k=chance.randint(2, 4))) for _ in range(50_000)]
    table = NameWord._meta.db_table
    sql = f"INSERT INTO {table} (user_id, word, source) VALUES (%s, %s, 0)"
    for some in chunks(range(1, count + 1), 10_000):
        found = [Word(it, word) for it in some for word in sorted(_names(chance, known))]
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.executemany(sql, found)
        yield from found


def _names(chance: random.Random, known: Sequence[str]) -> set[str]:
    first, last = (known[int(len(known) ** chance.random()) - 1] for _ in range(2))
    return {first, last, f"{first}_{last}", f"{first}{chance.randint(1, 9999)}"}


def beginnings(words: Sequence[Word]) -> list[str]:
    chance = random.Random(7)
    picked: dict[str, None] = {}
    while len(picked) < TYPED:
        picked[chance.choice(words).word[: chance.randint(1, LONGEST)]] = None
    return list(picked)


def oracle(words: Sequence[Word], typed: Sequence[str]) -> dict[str, list[int]]:
    """Compares everybody."""
    count = words[-1].user_id
    found: dict[str, set[tuple[int, int]]] = {it: set() for it in typed}
    for user_id, word in words:
        for length in range(1, LONGEST + 1):
            if word[:length] in found:
                found[word[:length]].add((followers_of(user_id, count), user_id))
    return {it: [user_id for _, user_id in nlargest(SHOWN, all_)] for it, all_ in found.items()}


def offered(beginning: str) -> list[Run]:
    """As many runs as somebody sees: who comes first in one, the hashes say that are read to show
    them.
    """
    batch = Batch(get_client())
    batch.add(*NAMES.command(beginning))
    (answer,) = batch.run()
    return list(NAMES.everybody(beginning, answer).first(SHOWN))


def first_eight(beginning: str) -> list[int]:
    found = [it for run in offered(beginning) for it in NAMES.ranking.exactly(run)]
    return found[:SHOWN] if len(found) >= SHOWN else NAMES.ranking.first([beginning], SHOWN)


def ask_each(typed: Sequence[str]) -> None:
    for beginning in typed:
        offered(beginning)


def write_book(words: Sequence[Word]) -> None:
    for some in chunks(words, 5_000):
        batch = Batch(get_client())
        batch.add("ZADD", BOOK, *(it for word in some for it in (0, f"{word.word}:{word.user_id}")))
        batch.run()


def in_the_book(beginning: str) -> list[int]:
    batch = Batch(get_client())
    batch.add("ZRANGEBYLEX", BOOK, f"[{beginning}", f"[{beginning}\x7f", "LIMIT", 0, SHOWN)
    (answer,) = batch.run()
    return [int(it.rpartition(":")[2]) for it in answer]


def ask_the_book(typed: Sequence[str]) -> None:
    for beginning in typed:
        in_the_book(beginning)
