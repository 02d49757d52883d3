"""The same fan-out over a Redis Cluster of three nodes, through the real worker.

All nodes share this machine's cores, so this shows what several nodes cost, not what three
machines would gain.
"""

from functools import partial

from bench import book
from bench.fan_out import DEPTH, ROUNDS, deliver, deliver_by_the_book
from bench.frame import Stage, interleaved
from bench.population import make_author, make_homes, make_users
from bench.report import Figure
from statuses.models import Status

HOMES = 10_000


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
    }
