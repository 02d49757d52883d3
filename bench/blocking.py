"""How long does one call keep Redis from serving others? Redis' own slow log knows.

It counts wall time, so a call that the kernel interrupted looks long. Each figure is the median,
over several runs, of the longest call in a run.
"""

from collections.abc import Callable
from typing import Any

from django.conf import settings

from bench.frame import Stage, median
from bench.population import make_author, make_homes, make_statuses, make_users
from bench.report import Figure, Target
from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch
from relations import store as edges
from relations.services import follow, unfollow
from statuses.models import Status, status_ids
from timelines import fan_out, selectors, store
from timelines.store import home_of
from users.models import User

# Enough for a thousand in each partition.
HOMES = 16_000
RUNS = 5
SLOWER_THAN_US = 100
BIG_BATCH = 1_000


def longest_calls(stage: Stage) -> dict[str, Figure]:
    """The longest call of everything that the site does often, and of a batch of a thousand."""
    people = make_users(stage.size(HOMES, least=20))
    make_homes(people, depth=400)
    author = make_author(people)
    baseline = usual_longest(lambda: deliver_big_batches(author))
    return {
        f"longest call of Redis: {name}": Figure(
            usual_longest(work),
            baseline,
            "ms",
            f"a script that serves {BIG_BATCH:,} homes at once",
            smaller_is_better=True,
            target=Target("at most", 5.0, of="ours"),
        )
        for name, work in workload(author, people).items()
    }


def workload(author: User, people: range) -> dict[str, Callable[[], object]]:
    reader = User.objects.get(pk=people[0])
    make_statuses(range(author.pk, author.pk + 1), each=store.TIMELINE_SIZE)
    selectors.profile(author)
    return {
        "fan-out": lambda: deliver(author),
        "fan-out, a thousand homes full": lambda: deliver_to_full_homes(author, people),
        "sweep of a deletion": lambda: sweep(author),
        "home, read": lambda: selectors.home(reader),
        "home, built": lambda: store.build(home_of(reader.pk), again=True),
        "follow and unfollow": lambda: follow_and_unfollow(reader, author),
        "followers, loaded": lambda: load_followers(author),
    }


def deliver(author: User) -> None:
    status_id = status_ids.next(get_client())
    fan_out.deliver(fan_out.all_legs(author), status_id, budget=10**9)


def deliver_to_full_homes(author: User, people: range) -> None:
    """Homes that were built at the same time fill up at the same time."""
    newest = list(Status.objects.newest_first().values_list("id", flat=True)[: store.TIMELINE_SIZE])
    missing = store.TIMELINE_SIZE + fan_out.SLACK - len(newest)
    spare = range(newest[0] + missing, newest[0], -1)
    batch = Batch(get_client())
    for user_id in people[:: settings.PARTITIONS]:
        batch.add("DEL", keys.home(user_id))
        batch.add("RPUSH", keys.home(user_id), *spare, *newest)
    batch.run()
    get_client().slowlog_reset()
    deliver(author)


def sweep(author: User) -> None:
    status_id = status_ids.next(get_client())
    fan_out.sweep(fan_out.all_legs(author), status_id, budget=10**9)


def follow_and_unfollow(reader: User, author: User) -> None:
    unfollow(follower=reader, followee=author)
    follow(follower=reader, followee=author)


def load_followers(author: User) -> None:
    get_client().delete(*edges._keys_by_partition(author.pk).values())
    edges.ensure_followers(author.pk)


def deliver_big_batches(author: User) -> None:
    usual, fan_out.BATCH_SIZE = fan_out.BATCH_SIZE, BIG_BATCH
    try:
        legs = fan_out.all_legs(author)[:1]
        fan_out.deliver(legs, status_ids.next(get_client()), budget=10**9)
    finally:
        fan_out.BATCH_SIZE = usual


def usual_longest(work: Callable[[], object]) -> float:
    """Milliseconds of the longest call, in the median run."""
    return median([longest(work) for _ in range(RUNS)])


def longest(work: Callable[[], object]) -> float:
    client = get_client()
    client.config_set("slowlog-log-slower-than", SLOWER_THAN_US)
    client.config_set("slowlog-max-len", 10_000)
    client.slowlog_reset()
    work()
    entries: Any = client.slowlog_get(10_000)
    client.slowlog_reset()  # it would count as memory
    return max((entry["duration"] for entry in entries), default=SLOWER_THAN_US) / 1000
