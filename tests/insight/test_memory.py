"""What the memory of Redis is used for: a guess from some keys, at a cost that does not grow."""

import re

import pytest
from django.conf import settings

from insight.figures import MEMORY_KINDS
from insight.recording import memory
from insight.tasks import sample_memory
from redistools import keys, sample
from redistools.client import get_client
from redistools.sample import Sampled
from redistools.scripts import Batch
from tests.insight.reading import counted
from tests.round_trips import counting_round_trips

pytestmark = pytest.mark.usefixtures("measuring", "transactional_db")

DOCUMENT = settings.BASE_DIR / "docs/redis-keys.md"
# Nobody wonders how much they take.
SMALL = {"ids", "lock", "memory", "rules", "rebuild_progress", "site", "trending_written"}


def ours(found: Sampled) -> bool:
    return found.name.startswith(settings.REDIS_KEY_PREFIX)


def test_the_keys_that_it_looks_at_stand_for_all() -> None:
    batch = Batch(get_client())
    for number in range(600):
        batch.add("SET", keys.status(number), "x" * 1_000)
    batch.add("SET", keys.home(1), "x" * 300_000)
    batch.run()
    found = list(sample.keys_at_random(get_client(), of_each=1_000))
    of_each = {it.stands_for for it in found if ours(it)}
    assert all(it >= 0.1 for it in of_each)
    posts = [it for it in found if ours(it) and keys.kind(it.name) == "status"]
    assert all(1_000 < it.size < 1_600 for it in posts)
    exact = 600 * posts[0].size
    assert sum(it.size * it.stands_for for it in posts) == pytest.approx(exact, rel=0.4)


def test_it_asks_no_more_of_a_larger_redis() -> None:
    batch = Batch(get_client())
    for number in range(3_000):
        batch.add("SET", keys.status(number), "x")
    batch.run()
    with counting_round_trips() as trips:
        memory.estimated()
    masters = 3 if len(set(trips.to)) > 1 else 1
    assert len(trips) <= masters * (1 + 2 * memory.SAMPLED // sample.AT_ONCE)


def test_a_worker_samples_it_from_time_to_time() -> None:
    batch = Batch(get_client())
    for number in range(600):
        batch.add("SET", keys.status(number), "x" * 100)
    batch.run()
    sample_memory.call()
    assert counted("redis_memory", "posts") > 0
    assert sample.used(get_client()).used > 500_000


def test_every_kind_of_key_is_counted_somewhere() -> None:
    named = set(re.findall(r"^\| `(\w+)", DOCUMENT.read_text(), re.MULTILINE))
    listed = {it for names in memory.KINDS.values() for it in names}
    assert listed <= named, "docs/redis-keys.md has no such keys"
    assert named - listed <= SMALL, "say in recording/memory.py where they belong"
    assert {*memory.KINDS, memory.OTHER} == set(MEMORY_KINDS)
