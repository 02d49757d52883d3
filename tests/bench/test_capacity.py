"""The model of capacity: its arithmetic, and whether Redis takes as much as it says."""

import pytest

from bench.capacity.community import check_memory
from bench.capacity.costs import Bytes, Costs, Rows, Seconds, measure_bytes
from bench.capacity.habits import Habits, followees, following_counts, typical_people
from bench.capacity.model import NODE_BYTES, Needs, bytes_of, needs, set_bytes
from bench.population import insert_far_away

TOLERANCE = 0.3
MILLISECOND = Seconds(1e-3, 1e-4)
COSTS = Costs(
    Bytes(500, 300, 150, 20, 100, 200, 10),
    Rows(300, 100, 350),
    delivery=Seconds(1e-6, 5e-6),
    audience=MILLISECOND,
    post=MILLISECOND,
    deed=MILLISECOND,
    page=MILLISECOND,
    after_post=MILLISECOND,
    after_deed=MILLISECOND,
    stream_bytes=30_000,
    stream_deliveries=300_000,
)
HABITS = Habits()


def needs_of(users: int) -> Needs:
    return needs(users, typical_people(users, HABITS, count=5_000), HABITS, COSTS)


def test_a_few_have_most_of_the_followers() -> None:
    people = typical_people(1_000_000, HABITS, count=20_000)
    followers = sorted((person.followers for person in people), reverse=True)
    assert sum(followers) / len(followers) == pytest.approx(HABITS.follows, rel=0.05)
    assert sum(followers[:200]) > 0.1 * sum(followers), "one in a hundred"


def test_the_graph_is_always_the_same_and_nobody_follows_twice_or_themselves() -> None:
    counts = following_counts(300, 20)
    pairs = list(followees(counts))
    assert pairs == list(followees(counts))
    assert len(pairs) == len(set(pairs)) > 300
    assert all(one != other for one, other in pairs)


def test_memory_grows_with_the_accounts_and_nodes_follow() -> None:
    small, large = needs_of(1_000_000), needs_of(100_000_000)
    assert large.redis_bytes > 90 * small.redis_bytes
    assert large.redis_nodes >= large.redis_bytes / NODE_BYTES > 1
    assert large.partitions >= large.redis_nodes
    assert large.web_processes > small.web_processes
    assert large.sql_bytes == pytest.approx(100 * small.sql_bytes)


def test_a_small_site_needs_one_of_each() -> None:
    site = needs_of(10_000)
    assert site.redis_nodes == site.web_processes == site.worker_processes == 1
    assert 0 < site.lag < 1


def test_a_large_set_takes_more_for_each_member() -> None:
    assert set_bytes(COSTS.bytes, 255) == 150 + 255 * 20
    assert set_bytes(COSTS.bytes, 256) == 150 + 256 * 100


def test_more_partitions_take_more_memory() -> None:
    (person,) = typical_people(1_000, HABITS, count=1)
    few, many = (bytes_of(person, COSTS.bytes, partitions) for partitions in (16, 32))
    assert many - few == pytest.approx(16 * COSTS.bytes.empty_set)


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.django_db
def test_redis_takes_as_much_as_the_model_says() -> None:
    """Follows by a power law, so that the smallest and the largest sets are among them."""
    insert_far_away()
    costs, _rows = measure_bytes()
    _accounts, memory = check_memory(costs, people=400)
    assert abs(memory.deviation) < TOLERANCE, memory
