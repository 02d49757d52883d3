"""How fast does a boost reach existing homes, beside a post of the same author?

From the call of the service until no task is left, through the real worker. Both reach the same
homes, 400 entries deep. A boost also changes the counters of what it boosts, and notifies its
author.
"""

from collections.abc import Callable
from functools import partial

from bench.fan_out import DEPTH, without_append_only_file
from bench.frame import Stage, interleaved, wait_until_idle
from bench.population import make_author, make_homes, make_statuses, make_users
from bench.report import Figure, Target
from statuses.models import Status
from statuses.reactions.services import boost
from statuses.services import post_status
from statuses.store import find_statuses
from statuses.stored import StoredStatus
from users.models import User

SIZES = (1_000, 100_000)
ROUNDS = 7


def measure(stage: Stage) -> dict[str, Figure]:
    without_append_only_file()
    people = make_users(stage.size(SIZES[-1], least=100))
    make_homes(people, depth=DEPTH)
    figures: dict[str, Figure] = {}
    with stage.worker(PULL_THRESHOLD="0"):
        for size in SIZES:
            followers = people[: stage.size(size, least=10)]
            figures |= compare(make_author(followers), len(followers))
    return figures


def compare(author: User, followers: int) -> dict[str, Figure]:
    originals = iter(said_by_others(2 * ROUNDS))
    ways: dict[str, Callable[[], object]] = {
        "boost": lambda: through_the_worker(partial(boost, user=author, status=next(originals))),
        "post": lambda: through_the_worker(partial(post_status, author=author, text="hello")),
    }
    interleaved(ways, rounds=1)  # loads what Redis does not know yet
    taken = interleaved(ways, rounds=ROUNDS)
    boosts, posts = (followers / min(taken[way]) for way in ways)
    return {
        f"fan-out of a boost to {followers:,} homes": Figure(
            *(boosts, posts, "deliveries/s", "a post of the same author"),
            target=Target("at least", 0.8 if followers > SIZES[0] else 0.6),
        )
    }


def said_by_others(count: int) -> list[StoredStatus]:
    """A status each."""
    authors = make_users(count)
    make_statuses(authors, each=1)
    ids = Status.objects.filter(author_id__in=authors).values_list("pk", flat=True)
    return list(find_statuses(ids).values())


def through_the_worker(work: Callable[[], object]) -> None:
    work()
    wait_until_idle()
