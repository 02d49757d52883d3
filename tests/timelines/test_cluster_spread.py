"""A fan-out is the work of all nodes of a cluster, each for the followers that it holds."""

from collections import Counter
from typing import Any

import pytest
from pytest_django import Settings

from bench.population import make_author, make_homes, make_users
from redistools.client import get_client
from redistools.servers.cluster import GuardedCluster
from statuses.services import post_status
from taskqueue.drain import drain
from tests.redis_servers import CLUSTER_NODES

pytestmark = pytest.mark.long

FOLLOWERS = 20_000
# Two of three nodes hold five of 16 partitions, one six.
LEAST_SHARE, LARGEST_SHARE = 5 / 16 - 0.01, 6 / 16 + 0.01


def deliveries() -> Counter[str]:
    """How often each master has put something at the head of a list; homes are lists."""
    client: Any = get_client()
    assert isinstance(client, GuardedCluster)
    counts: Counter[str] = Counter()
    nodes: Any = client
    for node in nodes.get_primaries():
        stats = nodes.get_redis_connection(node).info("commandstats")
        counts[node.name] = stats.get("cmdstat_lpush", {"calls": 0})["calls"]
    return counts


@pytest.mark.django_db(transaction=True)
def test_a_fan_out_is_spread_over_all_nodes(
    redis_cluster_url: str, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.REDIS_URL = redis_cluster_url
    settings.PARTITIONS = 16
    followers = make_users(FOLLOWERS)
    make_homes(followers, depth=1)
    author = make_author(followers)
    before = deliveries()
    post_status(author=author, text="Hello to all of you")
    drain()
    done = deliveries() - before
    with capsys.disabled():
        print(f"\na fan-out to {FOLLOWERS:,} homes:")
        for node, count in done.items():
            print(f"  {node}: {count:,} deliveries")
    assert done.total() == FOLLOWERS
    assert len(done) == CLUSTER_NODES
    shares = [count / FOLLOWERS for count in done.values()]
    assert min(shares) > LEAST_SHARE
    assert max(shares) < LARGEST_SHARE
