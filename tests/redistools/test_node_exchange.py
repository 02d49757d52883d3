"""Batches on a cluster: one round trip to each node, whatever happens to the nodes meanwhile."""

import gc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import pytest
from redis.cluster import ClusterNode
from redis.exceptions import ResponseError

from redistools.client import Client, connect
from redistools.exchange import Command, own_connection
from redistools.scripts import Batch, Script
from redistools.servers.cluster import GuardedCluster
from redistools.servers.node_exchange import exchange_with_nodes
from tests.moving_slots import masters_of
from tests.redis_servers import CLUSTER_NODES
from tests.round_trips import counting_round_trips
from tests.running_site import wait_for

MANY = 40

count_and_tell = Script(__file__, "count_and_tell")


@pytest.fixture
def cluster(redis_cluster_url: str) -> Iterator[GuardedCluster]:
    with closing(connect(redis_cluster_url)) as client:
        assert isinstance(client, GuardedCluster)
        yield client


def masters(cluster: Any) -> list[ClusterNode]:
    return list(cluster.get_primaries())


def counting(client: Client, prefix: str) -> Batch:
    """Scripts for keys on all nodes."""
    batch = Batch(client)
    for number in range(MANY):
        batch.call(count_and_tell, [f"{prefix}{number}"], [number])
    return batch


def counts(answers: list[Any]) -> set[int]:
    return {count for _, count in answers}


def test_connections_end_with_their_thread_and_do_not_wait_for_the_garbage_collector(
    redis_cluster_url: str, key_prefix: str
) -> None:
    def use_a_client() -> set[Any]:
        with closing(connect(redis_cluster_url)) as own:
            counting(own, key_prefix).run()
            return {own_connection(node.redis_connection).connection for node in masters(own)}

    gc.disable()
    try:
        with ThreadPoolExecutor(1) as thread:
            connections = thread.submit(use_a_client).result()
            assert {it.is_connected for it in connections} == {True}
        wait_for(lambda: not any(it.is_connected for it in connections))
    finally:
        gc.enable()


def test_a_batch_of_scripts_and_commands_costs_one_trip_to_each_node(
    cluster: GuardedCluster, key_prefix: str
) -> None:
    counting(cluster, key_prefix).run()
    batch = counting(cluster, key_prefix)
    for number in range(MANY):
        batch.add("EXPIRE", f"{key_prefix}{number}", 100)
    with counting_round_trips() as trips:
        answers = batch.run()
    assert [len(servers.split(", ")) for servers in trips.to] == [CLUSTER_NODES]
    assert counts(answers[:MANY]) == {2}
    assert set(answers[MANY:]) == {True}


def test_a_single_script_costs_one_trip(cluster: GuardedCluster, key_prefix: str) -> None:
    counting(cluster, key_prefix).run()
    with counting_round_trips() as trips:
        count_and_tell(cluster, [f"{key_prefix}7"], ["alice"])
    assert len(trips) == 1


def test_answers_are_those_of_a_pipeline(cluster: GuardedCluster, key_prefix: str) -> None:
    name = f"{key_prefix}h"
    commands: list[Command] = [
        ("HSET", name, "text", "grüße 🎉", "number", 7, "ratio", 0.5, "bytes", b"raw"),
        ("HGETALL", name),
        ("ZADD", f"{name}:z", 1, "a", 2, "b"),
        ("ZRANGE", f"{name}:z", 0, -1, "WITHSCORES"),
        ("SET", f"{name}:s".encode(), "x"),
        ("GET", f"{name}:nothing"),
        ("PING",),
    ]
    pipeline: Any = cluster.pipeline(transaction=False)
    for command in commands:
        pipeline.execute_command(*command)
    expected = pipeline.execute()
    cluster.delete(name, f"{name}:z", f"{name}:s")
    assert exchange_with_nodes(cluster, commands) == expected


def test_an_error_stands_in_its_place(cluster: GuardedCluster, key_prefix: str) -> None:
    name = f"{key_prefix}a"
    set_, wrong, get = exchange_with_nodes(
        cluster, [("SET", name, "text"), ("INCR", name), ("GET", name)]
    )
    assert (set_, get) == (True, "text")
    assert isinstance(wrong, ResponseError)


def test_what_is_interrupted_leaves_no_answers_behind(
    cluster: GuardedCluster, key_prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting(cluster, key_prefix).run()
    nodes = [cluster.get_redis_connection(node) for node in masters(cluster)]

    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(own_connection(nodes[1]).connection, "read_response", interrupt)
    with pytest.raises(KeyboardInterrupt):
        counting(cluster, key_prefix).run()
    monkeypatch.undo()
    assert counts(counting(cluster, key_prefix).run()) == {3}


def test_a_lost_connection_is_made_again(cluster: GuardedCluster, key_prefix: str) -> None:
    counting(cluster, key_prefix).run()
    with masters_of(cluster) as nodes:
        for master in nodes:
            master.client_kill_filter(_type="normal", skipme=True)
    assert counts(counting(cluster, key_prefix).run()) == {2}


def test_slots_that_we_know_wrongly_are_learnt(cluster: GuardedCluster, key_prefix: str) -> None:
    counting(cluster, key_prefix).run()
    one, other, *_ = masters(cluster)
    slots = cluster.nodes_manager.slots_cache
    wrong = {slot: [other if nodes[0].name == one.name else one] for slot, nodes in slots.items()}
    slots.update(wrong)
    assert counts(counting(cluster, key_prefix).run()) == {2}
    with counting_round_trips() as trips:
        assert counts(counting(cluster, key_prefix).run()) == {3}
    assert [len(servers.split(", ")) for servers in trips.to] == [CLUSTER_NODES]
