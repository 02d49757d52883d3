"""Who knows python and redis and speaks zh, and who at least three of these five, among a million
people with four of 2,000 interests each, and one or two of twelve languages?

Ours asks the sets in Redis, of all partitions, and SQL for the followers of those found; the
baseline is one query of SQL, which counts. Both pick the twenty who are shown first. Compared by
the processor time that the process and Redis spend, or the process with SQLite in it.
"""

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import Count, Exists, Model, OuterRef

from bench.blocking import RUNS
from bench.completion import make_people
from bench.frame import Stage
from bench.report import Figure, Target
from bench.used_memory import growth_of_memory
from redistools.chunks import chunks
from redistools.client import get_client
from redistools.scripts import Batch
from search.interests import finding, sets
from search.interests.asking import Asked, asked_for
from search.interests.checking import names_of
from tags.models import Interest, SpokenLanguage, Tag
from users.models import User

PEOPLE = 1_000_000
TAGS, EACH = 2_000, 4
# Shares of people who speak them, in tenths of a percent.
LANGUAGES = {
    "en": 450, "zh": 180, "es": 120, "fr": 80, "pt": 80, "ar": 60,
    "de": 60, "ja": 50, "ru": 40, "ko": 30, "it": 30, "tr": 20,
}  # fmt: skip
SHOWN = 20
QUERIES = 20
# Redis needs it for sets of more than 512: the site's own server starts with it.
COMPACT = 65_536


class Question(NamedTuple):
    name: str
    asked: list[Asked]


def measure(stage: Stage) -> dict[str, Figure]:
    client = get_client()
    client.config_set("appendonly", "no")
    client.config_set("set-max-intset-entries", COMPACT)
    count = stage.size(PEOPLE, least=2_000)
    make_people(count)
    tags = make_tags(stage.size(TAGS, least=60))
    fill(Interest, "tag_id", interests(count, tags))
    fill(SpokenLanguage, "code", languages(count))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    terms: list[sets.Term] = [*Tag.objects.values_list("pk", flat=True), *LANGUAGES]
    ours = growth_of_memory(lambda: sets.load(terms)) / count
    figures: dict[str, Figure] = {}
    longest = 0.0
    for question in questions(len(tags)):
        figures |= rates(question)
        longest = max(longest, longest_call(question))
    return (
        memory(count, terms, ours)
        | figures
        | {
            "longest call of Redis: people by interests": Figure(
                *(longest, 5.0, "ms", "what a call may take"),
                smaller_is_better=True,
                target=Target("at most", 5, of="ours"),
            )
        }
    )


def memory(count: int, terms: Sequence[sets.Term], ours: float) -> dict[str, Figure]:
    """And, at the end, what the same takes where Redis keeps its defaults."""
    get_client().config_set("set-max-intset-entries", 512)
    without = ours + growth_of_memory(lambda: write_again(terms)) / count
    return {
        "interests and languages of a person": Figure(
            *(ours, without, "bytes", "the same, with Redis' own set-max-intset-entries"),
            smaller_is_better=True,
            target=Target("at most", 15, of="ours"),
        )
    }


def write_again(terms: Sequence[sets.Term]) -> None:
    """Each set in the form that Redis would choose now."""
    for some in chunks(names_of(terms), 20):
        batch = Batch(get_client())
        for name in some:
            batch.add("SUNIONSTORE", name, name)
        batch.run()


def make_tags(count: int) -> list[int]:
    Tag.objects.bulk_create([Tag(name=f"tag{n}", written="") for n in range(count)])
    return list(Tag.objects.order_by("pk").values_list("pk", flat=True))


def interests(count: int, tags: Sequence[int]) -> Iterator[tuple[int, Any]]:
    """The first tags are on very many profiles, the last on few."""
    chance = random.Random(20261118)
    for user_id in range(1, count + 1):
        for tag in {tags[int(len(tags) ** chance.random()) - 1] for _ in range(EACH)}:
            yield user_id, tag


def languages(count: int) -> Iterator[tuple[int, Any]]:
    chance = random.Random(7)
    for user_id in range(1, count + 1):
        spoken = chance.choices(
            list(LANGUAGES), list(LANGUAGES.values()), k=chance.choice((1, 1, 2))
        )
        for code in set(spoken):
            yield user_id, code


def fill(model: type[Model], column: str, rows: Iterator[tuple[int, Any]]) -> None:
    """By users, and the index by the column afterwards: one in random order takes minutes."""
    (index,) = model._meta.indexes
    sql = f"INSERT INTO {model._meta.db_table} (user_id, {column}) VALUES (%s, %s)"
    with connection.schema_editor() as editor:
        editor.remove_index(model, index)
    for some in chunks(rows, 50_000):
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.executemany(sql, some)
    with connection.schema_editor() as editor:
        editor.add_index(model, index)


def questions(count: int) -> list[Question]:
    """Popular: of the first fifty tags; usual: as profiles have them."""
    chance = random.Random(11)

    def tags(most: int, number: int) -> str:
        return " ".join(f"#tag{it}" for it in chance.sample(range(most), number))

    def usual(number: int) -> str:
        picked = Counter(int(count ** chance.random()) - 1 for _ in range(99))
        return " ".join(f"#tag{it}" for it in list(picked)[:number])

    return [
        Question(
            "people with the most popular interest",
            [asked_for(["#tag0"]), asked_for(["#tag0 lang:en"])],
        ),
        Question(
            "people with all of three interests, popular",
            [asked_for([tags(50, 3)]) for _ in range(QUERIES)],
        ),
        Question(
            "people with all of three interests, usual",
            [asked_for([usual(3)]) for _ in range(QUERIES)],
        ),
        Question(
            "people with two interests who speak zh",
            [asked_for([usual(2) + " lang:zh"]) for _ in range(QUERIES)],
        ),
        Question(
            "people with three of five interests, popular",
            [asked_for([tags(50, 5)], least=3) for _ in range(QUERIES)],
        ),
        Question(
            "people with three of five interests, usual",
            [asked_for([usual(5)], least=3) for _ in range(QUERIES)],
        ),
    ]


def rates(question: Question) -> dict[str, Figure]:
    """They take turns. The answers are the same, unless there are too many to compare."""
    ours, theirs = 0.0, 0.0
    for asked in question.asked:
        found, seconds = with_cpu(partial(ask, asked))
        in_sql, seconds_of_sql = with_cpu(partial(ask_sql, asked))
        assert found == in_sql or len(in_redis(asked)) > finding.MOST // 8, asked
        ours, theirs = ours + seconds, theirs + seconds_of_sql
    n = len(question.asked)
    target = Target("at least", 3) if "three of five" in question.name else None
    return {
        question.name: Figure(
            n / ours, n / theirs, "a second of processor time", "one query of SQL", target=target
        )
    }


def ask(asked: Asked) -> list[int]:
    return finding.find(asked, viewer=None, limit=SHOWN)


def in_redis(asked: Asked) -> list[int]:
    ids = [it.pk for it in finding._in_use(asked.tags).values()]
    found = sets.find(ids, asked.languages, least=asked.least, most=finding.MOST)
    return [user_id for some in found for user_id in some]


def ask_sql(asked: Asked) -> list[int]:
    """By the index of tags, which has the users too."""
    ids = list(Tag.objects.filter(name__in=asked.tags).values_list("pk", flat=True))
    users = User.objects.filter(interests__tag__in=ids, is_active=True, is_silenced=False)
    for code in asked.languages:
        speaks = SpokenLanguage.objects.filter(user=OuterRef("pk"), code=code)
        users = users.filter(Exists(speaks))
    counted = users.values_list("pk").annotate(n=Count("interests__tag")).filter(n__gte=asked.least)
    return [pk for pk, _ in counted.order_by("-n", "-followers_count", "-pk")[:SHOWN]]


def with_cpu(work: Callable[[], list[int]]) -> tuple[list[int], float]:
    """And the seconds of processor time that this process and Redis took."""
    before = time.process_time() + _of_redis()
    found = work()
    return found, time.process_time() + _of_redis() - before


def _of_redis() -> float:
    found: Any = get_client().info("cpu")
    return float(found["used_cpu_user"]) + float(found["used_cpu_sys"])


def longest_call(question: Question) -> float:
    """Each call in that of several runs in which the kernel interrupted it least."""
    client = get_client()
    client.config_set("slowlog-log-slower-than", 0)
    client.config_set("slowlog-max-len", 10_000)
    runs = [[_calls(asked) for _ in range(RUNS)] for asked in question.asked]
    client.config_set("slowlog-log-slower-than", -1)
    longest: int = max(min(call) for run in runs for call in zip(*run, strict=True))
    return longest / 1000


def _calls(asked: Asked) -> list[int]:
    get_client().slowlog_reset()
    in_redis(asked)
    entries: Any = get_client().slowlog_get(10_000)
    return [it["duration"] for it in entries if "EVALSHA" in str(it["command"])]
