"""Batches on a cluster whose slots move and whose masters die."""

import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from typing import Any

import pytest
import redis
from redis.crc import key_slot
from redis.exceptions import ResponseError

from redistools.client import Client, connect
from redistools.outages.errors import is_outage
from redistools.scripts import Batch, Script
from redistools.servers.cluster import GuardedCluster
from tests.moving_slots import masters_of, move, move_some, moving, owner_of
from tests.redis_servers import CLUSTER_NODES, frozen, running_cluster
from tests.running_site import wait_for

# Servers die and freeze here, which takes its time.
pytestmark = pytest.mark.long

MANY = 40

count_and_tell = Script(__file__, "count_and_tell")


@pytest.fixture
def cluster(replicated_cluster_url: str) -> Iterator[GuardedCluster]:
    with closing(connect(replicated_cluster_url)) as client:
        assert isinstance(client, GuardedCluster)
        yield client


def count(client: Client, names: list[str]) -> set[int]:
    """Count each of them up; returns their counts."""
    batch = Batch(client)
    for name in names:
        batch.call(count_and_tell, [name], ["alice"])
    return {count for _, count in batch.run()}


def on_all_nodes(prefix: str) -> list[str]:
    return [f"{prefix}{number}" for number in range(MANY)]


def test_keys_are_found_while_their_slot_moves(cluster: GuardedCluster, key_prefix: str) -> None:
    """On the old node until they are moved, then on the new one; new keys begin there."""
    names = on_all_nodes(f"{key_prefix}{{moving}}")
    first, later = names[: MANY // 2], names[MANY // 2 :]
    assert count(cluster, first) == {1}
    slot = key_slot(names[0].encode())
    with masters_of(cluster) as masters:
        source = owner_of(slot, masters)
        target = next(master for master in masters if master is not source)
        with moving(slot, source, target):
            assert count(cluster, first) == {2}
            assert move_some(slot, source, target)
            assert count(cluster, first) == {3}
            assert count(cluster, later) == {1}
        assert count(cluster, names) == {4, 2}
        move(slot, target, source)
        assert count(cluster, names) == {5, 3}


def test_a_script_that_misses_a_key_of_a_moving_slot_meets_an_outage(
    cluster: GuardedCluster, key_prefix: str
) -> None:
    """Redis can't know whether the key is on the new node already."""
    name = f"{key_prefix}{{moving}}"
    cluster.set(name, "here")
    slot = key_slot(name.encode())
    with masters_of(cluster) as masters:
        source = owner_of(slot, masters)
        target = next(master for master in masters if master is not source)
        with moving(slot, source, target), pytest.raises(ResponseError) as raised:
            cluster.eval("return redis.call('GET', KEYS[1] .. 'more')", 1, name)
        assert is_outage(raised.value)
        move(slot, target, source)


@contextmanager
def under_load(client: Client, prefix: str, *, threads: int = 3) -> Iterator[Counter[str]]:
    """Threads count all the time; gives what they were answered: how often, and which errors."""
    heard: Counter[str] = Counter()
    ended, lock = threading.Event(), threading.Lock()

    def keep_counting() -> None:
        while not ended.is_set():
            began = time.monotonic()
            try:
                count(client, on_all_nodes(prefix))
                outcome = "done"
            except redis.RedisError as error:
                outcome = type(error).__name__
            with lock:
                heard[outcome] += 1
                heard["slowest ms"] = max(
                    heard["slowest ms"], round(1000 * (time.monotonic() - began))
                )

    running = [threading.Thread(target=keep_counting) for _ in range(threads)]
    for thread in running:
        thread.start()
    try:
        yield heard
    finally:
        ended.set()
        for thread in running:
            thread.join()


def test_nothing_is_lost_or_counted_twice_while_slots_move(
    cluster: GuardedCluster, key_prefix: str
) -> None:
    count(cluster, on_all_nodes(key_prefix))
    slots = {key_slot(name.encode()) for name in on_all_nodes(key_prefix)}
    with masters_of(cluster) as masters, under_load(cluster, key_prefix) as heard:
        for slot in slots:
            source = owner_of(slot, masters)
            target = masters[(masters.index(source) + 1) % len(masters)]
            move(slot, source, target)
            wait_for_more(heard)
    assert set(heard) == {"done", "slowest ms"}
    assert heard["slowest ms"] < 3_000
    assert count(cluster, on_all_nodes(key_prefix)) == {heard["done"] + 2}


def kill(process_id: int) -> AbstractContextManager[None]:
    os.kill(process_id, signal.SIGKILL)
    return nullcontext()


@pytest.mark.parametrize("stop", [kill, frozen])
def test_batches_go_on_when_a_master_is_gone(
    tmp_path_factory: pytest.TempPathFactory,
    key_prefix: str,
    stop: Callable[[int], AbstractContextManager[None]],
) -> None:
    """Its replica takes over. Nobody waits long meanwhile, nor when the old master wakes up."""
    folders = [tmp_path_factory.mktemp("mortal") for _ in range(2 * CLUSTER_NODES)]
    with (
        running_cluster(folders, with_replicas=True) as url,
        closing(connect(url)) as client,
        under_load(client, key_prefix) as heard,
    ):
        assert isinstance(client, GuardedCluster)
        wait_for_more(heard)
        with stop(process_of_a_master(client)):
            wait_for(lambda: set(heard) > {"done", "slowest ms"}, what="an error")
            wait_for_more(heard)
        wait_for_more(heard)
    assert heard["slowest ms"] < 3_000


def wait_for_more(heard: Counter[str]) -> None:
    so_far = heard["done"]
    wait_for(lambda: heard["done"] > so_far + 10, what="more batches")


def process_of_a_master(client: Any) -> int:
    info = client.info("server", target_nodes=client.get_primaries()[0])
    return int(info["process_id"])
