"""A community that really runs here, to hold the model against."""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.conf import settings
from tqdm import tqdm

from bench.capacity.costs import Bytes, Costs, deliver, processor_seconds
from bench.capacity.habits import SEED, Person, followees, following_counts
from bench.capacity.model import redis_bytes
from bench.population import make_statuses, make_users
from bench.used_memory import used_memory
from bench.whole_user import read_own_pages
from redistools.chunks import chunks
from redistools.client import get_client
from redistools.ids import SEQUENCE_BITS
from relations.models import Follow
from statuses import store as statuses
from statuses.models import Status, status_ids
from users.models import User

FOLLOWS, STATUSES = 40.0, 12
POSTS = 200


class Check(NamedTuple):
    what: str
    unit: str
    predicted: float
    measured: float

    @property
    def deviation(self) -> float:
        return self.predicted / self.measured - 1


def check_model(costs: Costs, *, people: int) -> list[Check]:
    accounts, memory = check_memory(costs.bytes, people=people)
    return [memory, *check_speed(costs, accounts)]


def check_memory(costs: Bytes, *, people: int) -> tuple[range, Check]:
    """The community is made after the costs were measured, and shares nothing with that."""
    accounts = make_users(people)
    degrees = make_graph(accounts)
    make_statuses(accounts, each=STATUSES)
    before = used_memory()
    use(accounts)
    held = used_memory() - before
    predicted = redis_bytes(
        degrees, STATUSES * len(accounts), costs, partitions=settings.PARTITIONS
    )
    what = f"memory of Redis for {people:,} people"
    return accounts, Check(what, "MB", predicted / 1e6, held / 1e6)


def make_graph(accounts: range) -> list[Person]:
    """By the power law, and always the same."""
    counts = following_counts(len(accounts), FOLLOWS)
    pairs = list(followees([min(it, len(accounts) // 3) for it in counts]))
    first = status_ids.next(get_client())
    rows = (
        Follow(
            id=first + (number << SEQUENCE_BITS),
            follower_id=accounts[one],
            followee_id=accounts[other],
        )
        for number, (one, other) in enumerate(pairs)
    )
    for some in chunks(rows, 2_000):
        Follow.objects.bulk_create(some)
    following, followers = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    _write_counters(accounts, following, followers)
    return [
        Person(following[it], followers[it], STATUSES, following[it] * STATUSES)
        for it in range(len(accounts))
    ]


def _write_counters(accounts: range, following: Counter[int], followers: Counter[int]) -> None:
    found = list(User.objects.filter(pk__in=accounts))
    for user in found:
        place = user.pk - accounts[0]
        user.following_count, user.followers_count = following[place], followers[place]
        user.statuses_count = STATUSES
        user.name, user.bio = "Alice Liddell", "Quite a usual bio, it is."
    columns = ["following_count", "followers_count", "statuses_count", "name", "bio"]
    User.objects.bulk_update(found, columns, batch_size=500)


def use(accounts: Sequence[int]) -> None:
    """Everybody reads, and is read."""
    ids = Status.objects.filter(author_id__in=accounts).values_list("pk", flat=True)
    for some in chunks(ids.iterator(), 500):
        statuses.refresh_statuses(some)
    read_own_pages(shown("people", User.objects.filter(pk__in=accounts)))


def shown(what: str, users: Iterable[User]) -> Iterable[User]:
    found = list(users)
    return tqdm(found, desc=f"{what:>9}", unit=" users", disable=None)


def check_speed(costs: Costs, accounts: range) -> list[Check]:
    """The fan-out of posts by anybody, one after another, by one process."""
    authors = list(User.objects.filter(pk__in=accounts))
    chosen = random.Random(SEED).choices(authors, k=POSTS)
    audiences = [author.followers_count for author in chosen if author.followers_count]
    spent = processor_seconds(lambda: list(map(deliver, chosen)))
    ours, redis = (
        len(audiences) * audience + sum(audiences) * delivery
        for audience, delivery in zip(costs.audience, costs.delivery, strict=True)
    )
    what = f"fan-out of {POSTS} posts to {sum(audiences):,} homes"
    return [
        Check(f"{what}, time of Redis", "ms", 1e3 * redis, 1e3 * spent.redis),
        Check(f"{what}, time of the worker", "ms", 1e3 * ours, 1e3 * spent.ours),
    ]
