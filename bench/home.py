"""How fast is the page that everybody reads: the newest 30 statuses of the people one follows?"""

from collections.abc import Callable
from functools import partial
from typing import Any

from bench.against_hello import Page, pages_over_http
from bench.frame import Stage, interleaved, median, percentile
from bench.population import make_reader, make_statuses, make_users
from bench.processor_time import servers, spent
from bench.report import Figure, Target
from redistools import keys
from redistools.client import get_client
from statuses.models import Status
from timelines import selectors
from users.models import User

FOLLOWING = (10, 100, 1_000)
AUTHORS, STATUSES_EACH = 10_000, 20
READS, SQL_READS = 400, 60
PAGE = 30
RAW = f"redis-py: a ZRANGE, then a pipeline of {PAGE} HGETALL"

Works = dict[str, Callable[[], object]]


def measure(stage: Stage) -> dict[str, Figure]:
    authors = make_users(stage.size(AUTHORS, least=10))
    make_statuses(authors, each=STATUSES_EACH)
    readers = {size: reader_of(authors, stage.size(size, least=2)) for size in FOLLOWING}
    usual, reads = readers[FOLLOWING[1]], stage.size(READS, least=5)
    return (
        against_raw_pipeline(usual, rounds=reads)
        | by_processor_time(usual, rounds=reads)
        | against_sql(readers, rounds=stage.size(SQL_READS, least=3))
        | pages_over_http(stage, {"home page": Page("/", usual, Target("at least", 0.2))})
    )


def reader_of(authors: range, count: int) -> User:
    """Follows authors from all over the site, and has read their home before."""
    step = len(authors) // count
    reader = make_reader(authors[: step * count : step])
    selectors.home(reader)
    return reader


def against_raw_pipeline(reader: User, *, rounds: int) -> dict[str, Figure]:
    taken = interleaved(ours_and_raw(reader), rounds=rounds)
    return {
        f"home by selector, p{percent}": Figure(
            1e6 * percentile(taken["ours"], percent),
            1e6 * percentile(taken["raw"], percent),
            *("µs", RAW),
            smaller_is_better=True,
            target=Target("at most", 2.0) if percent == 50 else None,
        )
        for percent in (50, 99)
    }


def by_processor_time(reader: User, *, rounds: int) -> dict[str, Figure]:
    """Of Redis too. Ours takes three trips, so on a busy machine it waits longer."""
    asked, works = servers(), ours_and_raw(reader)
    taken: dict[str, list[float]] = {"ours": [], "raw": []}
    for _ in range(rounds):
        for way, work in works.items():
            begun = spent(asked)
            work()
            taken[way].append(spent(asked) - begun)
    return {
        "home by selector, processor time": Figure(
            *(1e6 * median(taken["ours"]), 1e6 * median(taken["raw"]), "µs", RAW),
            smaller_is_better=True,
            target=Target("at most", 2.0),
        )
    }


def ours_and_raw(reader: User) -> Works:
    ids = [status.id for status in selectors.home(reader)]
    return {
        "ours": partial(selectors.home, reader),
        "raw": partial(read_raw, raw_home(reader, ids)),
    }


def raw_home(reader: User, ids: list[int]) -> str:
    """The same ids in a sorted set, for the baseline."""
    key = f"raw:home:{reader.pk}"
    get_client().zadd(key, {str(status_id): status_id for status_id in ids})
    return key


def read_raw(key: str) -> list[dict[str, str]]:
    client: Any = get_client()
    pipeline = client.pipeline(transaction=False)
    for status_id in client.zrange(key, 0, PAGE - 1, desc=True):
        pipeline.hgetall(keys.status(int(status_id)))
    statuses: list[dict[str, str]] = pipeline.execute()
    return statuses


def against_sql(readers: dict[int, User], *, rounds: int) -> dict[str, Figure]:
    figures = {}
    for size, reader in readers.items():
        works: Works = {
            "ours": partial(selectors.home, reader),
            "sql": partial(read_by_join, reader),
        }
        taken = interleaved(works, rounds=rounds)
        figures[f"home when following {size:,}"] = Figure(
            1 / median(taken["ours"]),
            1 / median(taken["sql"]),
            "reads/s",
            "a SQL join over follows and statuses",
            target=Target("at least", 10) if size == FOLLOWING[-1] else None,
        )
    return figures


def read_by_join(reader: User) -> list[Status]:
    """Fan-out on read: nothing is prepared."""
    rows = Status.objects.filter(author__follows_got__follower=reader).select_related("author")
    return list(rows.newest_first()[:PAGE])
