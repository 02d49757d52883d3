"""What does a community of some size need? `python -m bench.capacity 10000 1000000`

Measures here what one of each thing costs, and works out from that, and from what we assume of
people, what a site with that many accounts needs. `docs/capacity.md` explains the tables.
"""

import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any

from bench import frame, machine
from bench.report import written

SIZES = (10_000, 1_000_000, 100_000_000)
HABITS = {
    "accounts that come within a month": 0.4,
    "accounts that come on a day": 0.15,
    "follows of one who comes within a month": 200.0,
    "of one who comes on a day: posts": 1.5,
    "likes, bookmarks and follows": 8.0,
    "pages": 40.0,
    "open pages at the busiest moment": 0.1,
    "the busiest hour, by the average one": 1.9,
}
MONTHLY, DAILY, FOLLOWS, POSTS, REACTIONS, PAGES, OPEN, PEAK = HABITS.values()
LARGEST_SHARE, PULL_THRESHOLD, STREAMS_A_PROCESS, PARTITIONS = 0.05, 100_000, 10_000, 16
# What a node of Redis may hold, of 32 GB; how busy a processor may be at the peak.
NODE_BYTES, BUSY = 16 * 2**30, 0.5
TIMES, READERS, ROWS, FEW = 60, 3_000, 2_000, 16
TEXT = "@{name}, a post of a usual length with a #tag, which somebody or other may like"

Bytes = Mapping[str, float]
Spent = tuple[float, float]
"""Seconds of processors: of our process, and of Redis."""


def measured_bytes(stage: frame.Stage) -> Bytes:
    # Only here: models can't be imported before Django is set up.
    from bench.population import make_follows, make_statuses, make_users
    from bench.whole_user import make_community, measured_by_us

    held = measured_by_us(make_community(stage))
    first = make_users(1)[0] + 1
    follow = partial(make_follows, ROWS, follower=f"{first} + n", followee=f"{first - 1}")
    post = partial(make_statuses, range(first, first + 20), each=ROWS // 20)
    return {
        "somebody who comes, in Redis": held["usual"],
        "somebody away, in Redis": held["away"],
        "an account in SQL": _growth_of_sql(partial(make_users, ROWS)) / ROWS,
        "a follow in SQL": _growth_of_sql(follow) / ROWS,
        "a post in SQL": _growth_of_sql(post) / ROWS,
    }


def _growth_of_sql(work: Callable[[], object]) -> int:
    before = _size_of_sql()
    work()
    return _size_of_sql() - before


def _size_of_sql() -> int:
    from django.db import connection

    with connection.cursor() as cursor:
        found = [cursor.execute(f"PRAGMA {it}").fetchone()[0] for it in ("page_count", "page_size")]
    return int(found[0]) * int(found[1])


def measured_seconds() -> Mapping[str, Spent]:
    """Of a post and a like: what the request does, and what its tasks do."""
    from django.core.management import call_command
    from django.test import Client

    from bench.population import make_author, make_homes, make_users
    from redistools.client import get_client
    from statuses.models import status_ids
    from statuses.reactions.services import like
    from statuses.services import post_status
    from statuses.store import find_statuses
    from taskqueue.drain import drain
    from timelines import fan_out
    from users.models import User

    def deliver(author: User) -> None:
        fan_out.deliver(fan_out.all_legs(author), status_ids.next(get_client()), budget=10**9)

    readers = make_users(READERS)
    make_homes(readers, depth=800)
    reader, author = (User.objects.get(pk=it) for it in (readers[0], make_users(1)[0]))
    call_command("collectstatic", interactive=False, verbosity=0)
    browser = Client(headers={"host": "localhost"})
    browser.force_login(reader)
    text = TEXT.format(name=reader.username)
    found = {"a page": _spent(lambda: browser.get("/").content)}
    found["a post"] = _spent(lambda: post_status(author=author, text=text))
    found["its tasks"] = _spent(drain, by=TIMES + 1)
    said = iter(find_statuses(author.statuses.values_list("pk", flat=True)).values())
    found["a like"] = _spent(lambda: like(user=reader, status=next(said)))
    found["tasks of a like"] = _spent(drain, by=TIMES + 1)
    crowd = make_author(readers)
    others = iter([make_author(readers[FEW * n : FEW * (n + 1)]) for n in range(TIMES + 1)])
    few, many = _spent(lambda: deliver(next(others))), _spent(lambda: deliver(crowd))
    each = tuple((b - a) / (READERS - FEW) for a, b in zip(few, many, strict=True))
    return found | {"a fan-out to 16": few, "each delivery beyond": (each[0], each[1])}


def _spent(work: Callable[[], object], *, by: int = 0) -> Spent:
    """On average; or of one run that does `by` things."""
    if not by:
        work()  # loads what it needs
    before = _processors()
    for _ in range(1 if by else TIMES):
        work()
    ours, redis = ((b - a) / (by or TIMES) for a, b in zip(before, _processors(), strict=True))
    return ours, redis


def _processors() -> Spent:
    """What the kernel charged: other work on the machine hardly matters."""
    from redistools.client import get_client

    redis: dict[str, Any] = get_client().info("cpu")
    return time.process_time(), redis["used_cpu_user"] + redis["used_cpu_sys"]


def needs(users: int, costs: Bytes, spent: Mapping[str, Spent]) -> dict[str, str]:
    a_second = users * DAILY * PEAK / 86_400
    pages, posts, reactions = PAGES * a_second, POSTS * a_second, REACTIONS * a_second
    deliveries = posts * FOLLOWS * MONTHLY
    web = {"a page": pages, "a post": posts, "a like": reactions}
    tasks = {"its tasks": posts, "tasks of a like": reactions}
    tasks |= {"a fan-out to 16": posts, "each delivery beyond": deliveries}
    come, away = costs["somebody who comes, in Redis"], costs["somebody away, in Redis"]
    memory = users * (MONTHLY * come + (1 - MONTHLY) * away)
    nodes = max(1, ceil(memory / NODE_BYTES), ceil(_busy(web | tasks, spent, 1) / BUSY))
    follows, said = users * MONTHLY * FOLLOWS, 365 * users * DAILY * POSTS
    rows = users * costs["an account in SQL"] + follows * costs["a follow in SQL"]
    largest = min(PULL_THRESHOLD, users * LARGEST_SHARE)
    streams = users * DAILY * OPEN
    return {
        "memory of Redis": _in_bytes(memory),
        "nodes of Redis": f"{nodes:,}",
        "`PARTITIONS`, at least": f"{max(PARTITIONS, nodes):,}",
        "web processes": f"{ceil(_busy(web, spent, 0) / BUSY):,}",
        "worker processes": f"{ceil(_busy(tasks, spent, 0) / BUSY):,}",
        "stream processes": f"{ceil(streams / STREAMS_A_PROCESS):,}",
        "SQL after a year": _in_bytes(rows + said * costs["a post in SQL"]),
        "pages a second, at the peak": written(pages),
        "posts a second": written(posts),
        "deliveries a second": written(deliveries),
        "largest pushed fan-out": f"{1e3 * largest * sum(spent['each delivery beyond']):,.0f} ms",
    }


def _busy(rates: Mapping[str, float], spent: Mapping[str, Spent], place: int) -> float:
    """How many processors this load keeps busy: ours (0), or those of Redis (1)."""
    return sum(rate * spent[name][place] for name, rate in rates.items())


def _in_bytes(count: float) -> str:
    unit, size = next((it for it in (("TB", 1e12), ("GB", 1e9)) if count >= it[1]), ("MB", 1e6))
    return f"{written(count / size)} {unit}"


def table(*rows: Iterable[str]) -> str:
    head, *rest = (f"| {' | '.join(cells)} |" for cells in rows)
    return "\n".join([head, "|---" + "|--:" * (head.count("|") - 2) + "|", *rest])


def page(sizes: Sequence[int], costs: Bytes, spent: Mapping[str, Spent]) -> str:
    sites = [needs(users, costs, spent) for users in sizes]
    head = ("", *(f"{users:,} accounts" for users in sizes))
    seconds = [(name, *(written(1e6 * it) for it in both)) for name, both in spent.items()]
    tables = [
        table(head, *((name, *(site[name] for site in sites)) for name in sites[0])),
        table(("one of each", "bytes"), *((name, written(it)) for name, it in costs.items())),
        table(("one of each", "µs of our process", "µs of Redis"), *seconds),
        table(("what we assume", ""), *((name, f"{it:g}") for name, it in HABITS.items())),
    ]
    return "\n\n".join([f"Measured on {machine.description()}.", *tables])


def main() -> None:
    with frame.temporary_site() as folder, frame.embedded_redis():
        costs, spent = measured_bytes(frame.Stage(Path(folder))), measured_seconds()
        print(page([int(it) for it in sys.argv[1:]] or SIZES, costs, spent), flush=True)
    os._exit(0)  # threads of what was measured may hold the interpreter open


if __name__ == "__main__":
    main()
