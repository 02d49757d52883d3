"""A Redis Cluster of three masters and three replicas that changes while members keep a site busy.

Nothing that was answered gets lost, Redis agrees with SQL in the end, and a stream misses nothing.
"""

import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import redis
from redis.crc import key_slot
from redis.exceptions import RedisClusterException

from redistools.client import connect
from redistools.servers.cluster import GuardedCluster
from tests.migrated import copy_database
from tests.moving_slots import masters_of, move, owner_of
from tests.redis_servers import CLUSTER_NODES, STEADY_MS, client_of, frozen, running_cluster
from tests.running_site import RunningSite, temporary_folder, wait_for

from .listening import Listening
from .load import Load
from .run import Outcome, judge

# Processes and servers die here, which takes its time.
pytestmark = pytest.mark.long

FROZEN_SECONDS = 30.0
LONGEST_GAP_SECONDS = 10.0
TAKE_OVER_MS = 2_000
SLOTS_MOVED = 100
# Requests that succeed, before a fault and after it.
MANY = 30


class Site(NamedTuple):
    running: RunningSite
    redis: GuardedCluster


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, migrated_database: Path) -> Iterator[Site]:
    """One for all tests. Those that stop a master come last."""
    folders = [tmp_path_factory.mktemp("chaos") for _ in range(2 * CLUSTER_NODES)]
    with ExitStack() as stack:
        url = stack.enter_context(
            running_cluster(folders, with_replicas=True, node_timeout_ms=STEADY_MS)
        )
        folder = stack.enter_context(temporary_folder())
        copy_database(migrated_database, folder)
        options = {"SIGNUPS_PER_HOUR": "1000", "REDIS_READ_FROM_REPLICAS": "1"}
        running = RunningSite(folder, REDIS_URL=url, **options)
        stack.callback(running.stop)
        running.wait_until_ready()
        client = stack.enter_context(closing(connect(url)))
        assert isinstance(client, GuardedCluster)
        yield Site(running, client)


@contextmanager
def explained(site: RunningSite) -> Iterator[None]:
    """A test that fails shows what the site has printed meanwhile."""
    so_far = len(site.output)
    try:
        yield
    except BaseException:
        print(site.output[so_far:])
        raise


def survives(site: Site, fault: Callable[[GuardedCluster], object]) -> None:
    """The site does, whatever happens to its Redis."""
    with explained(site.running):
        outcome = under_load(site, fault)
        assert outcome.is_good, f"{outcome}\n{outcome.findings}"
        assert outcome.longest_gap < LONGEST_GAP_SECONDS


def under_load(site: Site, fault: Callable[[GuardedCluster], object]) -> Outcome:
    wait_for(site.running.is_healthy, what="the site to be healthy")
    load = Load(site.running.url)
    before = commands_of_nodes(site.redis)
    with Listening([site.running.stream_url], load.bystander) as listening, load:
        wait_for(lambda: listening.is_open, what="the stream")
        wait_for_more(load)
        fault(site.redis)
        wait_for_more(load)
        load.end()
        outcome = judge(site.running, load, listening, Counter({fault.__name__: 1}))
    print(outcome)
    for node, count in (commands_of_nodes(site.redis) - before).items():
        print(f"  {node}: {count:,} commands")
    return outcome


def wait_for_more(load: Load) -> None:
    so_far = load.ledger.answers["done"]
    wait_for(lambda: load.ledger.answers["done"] > so_far + MANY, what="requests that succeed")


def commands_of_nodes(cluster: Any) -> Counter[str]:
    """Of those that answer; replicas too, and what scripts call."""
    counts: Counter[str] = Counter()
    for node in cluster.get_nodes():
        with suppress(redis.RedisError), closing(client_of(node.port)) as client:
            stats: Any = client.info("stats")
            counts[node.name] = stats["total_commands_processed"]
    return counts


def test_slots_move_to_other_nodes(site: Site) -> None:
    survives(site, slots_move)


def test_a_master_freezes_and_wakes_up(site: Site) -> None:
    survives(site, master_freezes)


def test_a_master_is_killed(site: Site) -> None:
    survives(site, master_dies)


def let_replicas_take_over(cluster: Any) -> None:
    """Soon after their master is gone; but not because a busy machine is slow."""
    for node in cluster.get_nodes():
        with closing(client_of(node.port)) as client:
            client.config_set("cluster-node-timeout", TAKE_OVER_MS)


def slots_move(client: GuardedCluster) -> None:
    """One node gets slots of the others: those of all partitions, and more that hold keys.

    One alone: nodes that get slots in turns, before they know of each other, may disagree.
    """
    names = [name.encode() for name in client.scan_iter(count=10_000)]
    tagged = {key_slot(name) for name in names if b"{" in name}
    slots = [*tagged, *({key_slot(name) for name in names} - tagged)]
    with masters_of(client) as masters:
        target = masters[0]
        for slot in slots[:SLOTS_MOVED]:
            source = owner_of(slot, masters)
            if source is not target:
                move(slot, source, target)


def master_freezes(client: GuardedCluster) -> None:
    let_replicas_take_over(client)
    name, process_id = some_master(client)
    with frozen(process_id):
        deadline = time.monotonic() + FROZEN_SECONDS
        wait_for(lambda: is_replaced(client, name), what="a new master")
        time.sleep(max(0.0, deadline - time.monotonic()))


def master_dies(client: GuardedCluster) -> None:
    let_replicas_take_over(client)
    name, process_id = some_master(client)
    os.kill(process_id, signal.SIGKILL)
    wait_for(lambda: is_replaced(client, name), what="a new master")


def some_master(client: GuardedCluster) -> tuple[str, int]:
    """One that has a replica."""
    nodes: Any = client.nodes_manager
    nodes.initialize()
    master = next(it[0] for it in nodes.slots_cache.values() if len(it) > 1)
    info: Any = client.get_redis_connection(master).info("server")
    return master.name, int(info["process_id"])


def is_replaced(client: GuardedCluster, name: str) -> bool:
    """Whatever the client has found out by itself: it may count Redis as away meanwhile."""
    with suppress(redis.RedisError, RedisClusterException):
        client.nodes_manager.initialize()
        nodes: Any = client
        return name not in {node.name for node in nodes.get_primaries()}
    return False
