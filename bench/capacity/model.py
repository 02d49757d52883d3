"""From costs and habits to what a site of some size needs."""

from collections.abc import Collection
from math import ceil
from typing import NamedTuple

from django.conf import settings

from bench.capacity.costs import Bytes, Costs, Seconds
from bench.capacity.habits import LARGEST_SHARE, PEAK, Habits, Person
from timelines import fan_out

SECONDS_A_DAY = 86_400
HOME_SIZE = 800
COMPACT = 255
# Sets that most have few members in: likes, boosts, bookmarks, tags, mentions, notifications.
SMALL_SETS = 6
# Nothing should be busier than this on average at the peak: queues grow beyond.
BUSY = 0.5
# What a node of Redis may hold, of 32 GB: it needs room to write its file again.
NODE_BYTES = 16 * 2**30
STREAMS_A_PROCESS = 10_000
# From a worker to Redis and back, over a network.
CALL_SECONDS = 0.001


def set_bytes(costs: Bytes, members: float) -> float:
    each = costs.compact_member if members <= COMPACT else costs.large_member
    return costs.empty_set + each * members


def bytes_of(person: Person, costs: Bytes, partitions: int) -> float:
    """All keys of somebody who reads and posts, without the hashes of statuses."""
    home = costs.empty_home + costs.home_entry * min(HOME_SIZE, person.home + person.statuses)
    return (
        home
        + costs.person
        + set_bytes(costs, person.following)
        + partitions * set_bytes(costs, person.followers / partitions)
        + 2 * set_bytes(costs, min(20_000, person.statuses))
        + (SMALL_SETS + 1) * costs.empty_set
    )


def redis_bytes(
    people: Collection[Person], statuses: float, costs: Bytes, *, partitions: int
) -> float:
    """Of these people, who all come, and of this many statuses that were written or read lately."""
    return sum(bytes_of(it, costs, partitions) for it in people) + statuses * costs.status


class Load(NamedTuple):
    """Each second of the busiest hour."""

    pages: float
    posts: float
    deeds: float
    deliveries: float
    streams: float
    """Open at once."""


class Needs(NamedTuple):
    users: int
    load: Load
    redis_bytes: float
    redis_nodes: int
    partitions: int
    web_processes: int
    worker_processes: int
    stream_processes: int
    sql_bytes: float
    lag: float
    """Seconds until the last follower of the largest pushed author has a post, at the peak."""


def load_of(users: int, people: Collection[Person], habits: Habits) -> Load:
    daily = users * habits.daily
    a_second = daily * PEAK / SECONDS_A_DAY
    pushed = [it.followers for it in people if it.followers <= settings.PULL_THRESHOLD]
    reach = habits.monthly * sum(pushed) / max(1, len(people))
    posts = habits.posts * a_second
    return Load(
        habits.pages * a_second,
        posts,
        habits.deeds * a_second,
        posts * reach,
        habits.streams * daily,
    )


def needs(users: int, people: Collection[Person], habits: Habits, costs: Costs) -> Needs:
    """`people` is a sample of those who come once a month."""
    load = load_of(users, people, habits)
    partitions, nodes = 0, settings.PARTITIONS
    # A node needs a partition at least, and each partition takes memory of its own.
    while nodes > partitions:
        partitions = nodes
        memory = memory_of(users, people, habits, costs.bytes, partitions=partitions)
        nodes = max(1, ceil(memory / NODE_BYTES), ceil(_redis(load, costs) / BUSY))
    workers = max(1, ceil(_tasks(load, costs).ours / BUSY))
    return Needs(
        users,
        load,
        redis_bytes=memory,
        redis_nodes=nodes,
        partitions=partitions,
        web_processes=max(1, ceil(_requests(load, costs).ours / BUSY)),
        worker_processes=workers,
        stream_processes=_stream_processes(load, costs, habits),
        sql_bytes=_sql_bytes(users, habits, costs),
        lag=lag(users, partitions, nodes, workers, load, costs),
    )


def memory_of(
    users: int, people: Collection[Person], habits: Habits, costs: Bytes, *, partitions: int
) -> float:
    each = redis_bytes(people, 0, costs, partitions=partitions) / len(people)
    a_day = users * habits.daily * habits.posts
    lately = a_day * habits.kept_days * (1 + habits.read_again)
    return users * habits.monthly * each + lately * costs.status


def _requests(load: Load, costs: Costs) -> Seconds:
    """How many processors the pages and writes keep busy."""
    return _sum((load.pages, costs.page), (load.posts, costs.post), (load.deeds, costs.deed))


def _tasks(load: Load, costs: Costs) -> Seconds:
    """The same of the fan-outs, and of what else follows a write."""
    return _sum(
        (load.posts, costs.audience),
        (load.deliveries, costs.delivery),
        (load.posts, costs.after_post),
        (load.deeds, costs.after_deed),
    )


def _sum(*parts: tuple[float, Seconds]) -> Seconds:
    ours, redis = (sum(rate * cost[place] for rate, cost in parts) for place in (0, 1))
    return Seconds(ours, redis)


def _redis(load: Load, costs: Costs) -> float:
    return _requests(load, costs).redis + _tasks(load, costs).redis


def _stream_processes(load: Load, costs: Costs, habits: Habits) -> int:
    """Each holds some thousand pages, and writes each event to those that want it."""
    written = load.deliveries * habits.streams * habits.daily / habits.monthly
    by_rate = written / costs.stream_deliveries / BUSY
    return max(1, ceil(load.streams / STREAMS_A_PROCESS), ceil(by_rate))


def _sql_bytes(users: int, habits: Habits, costs: Costs) -> float:
    follows = users * habits.monthly * habits.follows
    posts = users * habits.daily * habits.posts * 365 * habits.years
    return users * costs.rows.user + follows * costs.rows.follow + posts * costs.rows.status


def lag(users: int, partitions: int, nodes: int, workers: int, load: Load, costs: Costs) -> float:
    """Of the largest author who is not pulled. The partitions are served at once, by what the
    others leave free; in each, one call comes after another.
    """
    followers = min(settings.PULL_THRESHOLD, users * LARGEST_SHARE)
    redis = nodes / costs.delivery.redis * (1 - min(0.95, _redis(load, costs) / nodes))
    ours = workers / costs.delivery.ours * (1 - min(0.95, _tasks(load, costs).ours / workers))
    calls = ceil(followers / partitions / fan_out.BATCH_SIZE)
    return followers / min(redis, ours) + calls * CALL_SECONDS
