"""The same fan-out over a Redis Cluster of three nodes, through the real worker; and what a post
and a home cost there, beside batches sent through redis-py's pipeline.

All nodes share this machine's cores, so this shows what several nodes cost, not what three
machines would gain.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from unittest.mock import patch

from bench import book
from bench.fan_out import DEPTH, ROUNDS, deliver, deliver_by_the_book
from bench.frame import Stage, interleaved, median
from bench.population import make_author, make_homes, make_users
from bench.report import Figure
from redistools import scripts
from redistools.exchange import Command, Sources
from redistools.servers.cluster import GuardedCluster
from statuses.models import Status
from statuses.services import post_status
from taskqueue.drain import drain
from timelines import selectors
from users.models import User

HOMES = 10_000
FOLLOWERS = 10
REQUESTS = 100


def measure(stage: Stage) -> dict[str, Figure]:
    people = make_users(stage.size(HOMES, least=50))
    make_homes(people, depth=DEPTH)
    book.make_homes(people, Status.objects.values_list("id", flat=True)[:DEPTH])
    author = make_author(people)
    book.load_followers(author.pk)
    with stage.worker():
        taken = interleaved(
            {"ours": partial(deliver, author), "book": partial(deliver_by_the_book, author)},
            rounds=ROUNDS,
        )
    ours, by_the_book = (len(people) / min(taken[way]) for way in taken)
    return {
        f"fan-out to {len(people):,} homes on 3 nodes": Figure(
            *(ours, by_the_book, "deliveries/s"),
            "a Python pipeline to 3 nodes, 1,000 followers a task, same queue",
        )
    } | requests(people, stage.size(REQUESTS, least=2))


def requests(people: range, rounds: int) -> dict[str, Figure]:
    author, reader = make_author(people[:FOLLOWERS]), User.objects.get(pk=people[0])
    post = partial(post_status, author=author, text="Hello to everybody who follows me.")
    figures = {
        f"post_status, {FOLLOWERS} followers, on 3 nodes, p50": _compared(post, rounds),
        "home, on 3 nodes, p50": _compared(partial(selectors.home, reader), rounds),
    }
    drain()
    return figures


def _compared(work: Callable[[], object], rounds: int) -> Figure:
    def by_pipeline() -> None:
        with patch.object(scripts, "exchange_with_nodes", _through_a_pipeline):
            work()

    work()
    taken = interleaved({"ours": work, "redis-py": by_pipeline}, rounds=rounds)
    ours, theirs = (1000 * median(taken[way]) for way in taken)
    baseline = "the same through redis-py's pipeline, which asks for the keys of each script"
    return Figure(ours, theirs, "ms", baseline, smaller_is_better=True)


def _through_a_pipeline(
    cluster: GuardedCluster, commands: Sequence[Command], _scripts: Sources
) -> list[Any]:
    pipeline: Any = cluster.pipeline(transaction=False)
    for command in commands:
        pipeline.execute_command(*command)
    answers: list[Any] = pipeline.execute(raise_on_error=False)
    return answers
