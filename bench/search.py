"""How fast are posts found among a million, by SQL alone and with the window in Redis?

Both get the same posts, 50 in a transaction, and are asked the same queries in turn; they must find
the same. Nothing is posted or shown: what is measured is the index. Rates are by processor time, of
the one who asks and of the servers, since the machine is busy. For p50 and p99, each query has the
best of its rounds: what is left at p99 is slow by itself.
"""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from django.db import connection, transaction

from bench import search_corpus as corpus
from bench.frame import Stage
from bench.growth import exponent
from bench.on_postgres import on_postgres
from bench.processor_time import spent
from bench.report import Figure, Target
from bench.search_queries import KINDS, Find, Times, differences, measured, typed
from redistools.chunks import chunks
from search.index.engine import engine
from search.index.writing import AT_ONCE
from search.models import Entry

POSTS = 1_000_000
QUERIES, ROUNDS = 200, 5
TITLES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
ONE, TWO, FOUR = (Target("at least", bound) for bound in (0.5, 1.8, 2.5))
AGAINST_SQLITE = {
    "one common word": ONE,
    "one word of middle rank": ONE,
    "one word of a post": ONE,
    "two common words": TWO,
    "two words of a post": TWO,
    "four words of a post": FOUR,
}
