"""A Redis Cluster and a Sentinel set-up of real servers, for tests that must hold there too.

Both live as long as the test session, on free ports of 127.0.0.1, and are started by the first test
that asks for them.
"""

import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import redis
from pytest_django import Settings
from redis.backoff import NoBackoff
from redis.retry import Retry

from processes.embedded_redis import server_binary
from tests.ports import free_cluster_port, free_cluster_ports
from tests.running_site import wait_for

SLOTS = 16_384
CLUSTER_NODES = 3
MASTER_NAME = "socialsite"
STEADY_MS = 30_000
PASSWORD, SENTINEL_PASSWORD = "p@ss/word", "sentinel:pass"


class SentinelServers(NamedTuple):
    url: str
    sentinel: redis.Redis


@pytest.fixture(scope="session")
def redis_cluster_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Three masters that share the slots."""
    folders = [tmp_path_factory.mktemp("cluster") for _ in range(CLUSTER_NODES)]
    with running_cluster(folders) as url:
        yield url


@pytest.fixture(scope="session")
def replicated_cluster_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Three masters, each with a replica; tests move its slots and stop its nodes for a while."""
    folders = [tmp_path_factory.mktemp("replicated") for _ in range(2 * CLUSTER_NODES)]
    with running_cluster(folders, with_replicas=True) as url:
        yield url


@pytest.fixture(scope="session")
def steady_cluster_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Three masters and three replicas, none of which takes over: not even on a busy machine."""
    folders = [tmp_path_factory.mktemp("steady") for _ in range(2 * CLUSTER_NODES)]
    with running_cluster(folders, with_replicas=True, node_timeout_ms=STEADY_MS) as url:
        yield url


@contextmanager
def running_cluster(
    folders: list[Path],
    *,
    with_replicas: bool = False,
    ports: Sequence[int] = (),
    node_timeout_ms: int = 1_000,
) -> Iterator[str]:
    """A master in each folder; gives the cluster's URL. With replicas, those of the second half are
    the replicas of the first, and take over from a dead master within a few seconds.
    """
    options = cluster_options(str(node_timeout_ms) if with_replicas else "5000")
    ports = ports or free_cluster_ports(len(folders))
    with ExitStack() as stack:
        for folder, port in zip(folders, ports, strict=True):
            stack.enter_context(running_server(folder, *options, port=port))
        nodes = [stack.enter_context(closing(client_of(port))) for port in ports]
        masters = nodes[: len(nodes) // 2] if with_replicas else nodes
        join_cluster(masters)
        for master, replica in zip(masters, nodes[len(masters) :], strict=False):
            add_replica(master, replica)
        wait_for(lambda: all(sees(node, len(masters)) for node in nodes), what="all to serve")
        yield "redis+cluster://" + ",".join(f"127.0.0.1:{port}" for port in ports)


@pytest.fixture
def site_on_a_cluster(redis_cluster_url: str, settings: Settings) -> None:
    settings.REDIS_URL = redis_cluster_url


@pytest.fixture(scope="session")
def redis_sentinels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SentinelServers]:
    """A master, its replica, and a Sentinel with a login of its own."""
    folders = [tmp_path_factory.mktemp(name) for name in ("sentinel", "master", "replica")]
    with watched_servers(folders) as servers:
        yield servers


@contextmanager
def watched_servers(folders: list[Path], *options: str) -> Iterator[SentinelServers]:
    """A Sentinel in the first folder, a master in the second, and its replicas in the others."""
    login = ("--requirepass", PASSWORD, "--masterauth", PASSWORD, *options)
    with ExitStack() as stack:
        master = stack.enter_context(running_server(folders[1], *login, password=PASSWORD))
        as_replica = (*login, "--replicaof", "127.0.0.1", str(master))
        for folder in folders[2:]:
            stack.enter_context(running_server(folder, *as_replica, password=PASSWORD))
        port = stack.enter_context(running_sentinel(folders[0], master))
        sentinel = stack.enter_context(closing(client_of(port, SENTINEL_PASSWORD)))
        count = len(folders[2:])
        wait_for(lambda: knows_replicas(sentinel, count), what="the Sentinel to see all replicas")
        yield SentinelServers(
            f"redis+sentinel://:p%40ss%2Fword@127.0.0.1:{port}/{MASTER_NAME}/0"
            "?sentinel_password=sentinel%3Apass",
            sentinel,
        )


@pytest.fixture(scope="session")
def redis_sentinel_url(redis_sentinels: SentinelServers) -> str:
    return redis_sentinels.url


@pytest.fixture
def steady_sentinel_url(redis_sentinels: SentinelServers) -> Iterator[str]:
    """No replica takes over: not even on a busy machine."""
    patience = ("SENTINEL", "SET", MASTER_NAME, "down-after-milliseconds")
    redis_sentinels.sentinel.execute_command(*patience, STEADY_MS)
    yield redis_sentinels.url
    redis_sentinels.sentinel.execute_command(*patience, 1_000)


@contextmanager
def running_server(
    folder: Path, *options: str, password: str | None = None, port: int = 0
) -> Iterator[int]:
    """A server without persistence during the block; yields its port."""
    port = port or free_cluster_port()
    program = server_binary(os.environ.get("REDIS_SERVER", ""))  # benchmarks have no settings yet
    command = [program, "--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder)]
    # Redis 7 would wait for other replicas before it copies everything to one.
    command += ["--save", "", "--repl-diskless-sync-delay", "0"]
    command += ["--set-max-intset-entries", "65536"]
    with running([*command, *options], port, folder / "log", password):
        yield port


@contextmanager
def running_sentinel(folder: Path, master_port: int) -> Iterator[int]:
    port, file = free_cluster_port(), folder / "sentinel.conf"
    file.write_text(
        f"""
        port {port}
        bind 127.0.0.1
        dir {folder}
        requirepass {SENTINEL_PASSWORD}
        sentinel monitor {MASTER_NAME} 127.0.0.1 {master_port} 1
        sentinel auth-pass {MASTER_NAME} {PASSWORD}
        sentinel down-after-milliseconds {MASTER_NAME} 1000
        sentinel failover-timeout {MASTER_NAME} 3000
        """
    )
    command = [server_binary(), str(file), "--sentinel"]
    with running(command, port, folder / "log", SENTINEL_PASSWORD):
        yield port


@contextmanager
def running(command: list[str], port: int, log: Path, password: str | None) -> Iterator[None]:
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output)
    try:
        wait_for(lambda: answers(port, password), what=f"{command}; see {log}")
        yield
    finally:
        process.terminate()
        process.wait()


@contextmanager
def frozen(*process_ids: int) -> Iterator[None]:
    """The processes hang during the block: they keep connections, and answer nothing."""
    for process_id in process_ids:
        os.kill(process_id, signal.SIGSTOP)
    try:
        yield
    finally:
        for process_id in process_ids:
            os.kill(process_id, signal.SIGCONT)


def cluster_options(node_timeout_ms: str = "5000") -> tuple[str, ...]:
    """On a busy machine replicas may be late, and take over all the same."""
    timeout = ("--cluster-node-timeout", node_timeout_ms)
    return ("--cluster-enabled", "yes", *timeout, "--cluster-replica-validity-factor", "0")


def join_cluster(nodes: list[redis.Redis]) -> None:
    for number, node in enumerate(nodes):
        first, last = (SLOTS * end // len(nodes) for end in (number, number + 1))
        node.execute_command("CLUSTER", "ADDSLOTS", *range(first, last))
        # Nodes that meet with equal epochs would have to vote first.
        node.execute_command("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
    for node in nodes[1:]:
        nodes[0].execute_command("CLUSTER", "MEET", "127.0.0.1", port_of(node))
    wait_for(lambda: all(sees(node, len(nodes)) for node in nodes), what="the cluster to form")


def add_replica(master: redis.Redis, replica: redis.Redis) -> None:
    master_id: Any = master.execute_command("CLUSTER", "MYID")
    replica.execute_command("CLUSTER", "MEET", "127.0.0.1", port_of(master))
    wait_for(lambda: master_id in known_nodes(replica), what="the replica to see its master")
    replica.execute_command("CLUSTER", "REPLICATE", master_id)
    wait_for(lambda: is_in_step(replica), what="the replica to be in step")


def known_nodes(node: redis.Redis) -> set[str]:
    found: Any = node.execute_command("CLUSTER NODES")
    return {each["node_id"] for each in found.values()}


def is_in_step(replica: redis.Redis) -> bool:
    state: Any = replica.info("replication")
    return (state["role"], state.get("master_link_status")) == ("slave", "up")


def sees(node: redis.Redis, count: int) -> bool:
    info: Any = node.execute_command("CLUSTER INFO")
    return info["cluster_state"] == "ok" and int(info["cluster_size"]) == count


def knows_replicas(sentinel: redis.Redis, count: int) -> bool:
    replicas: Any = sentinel.sentinel_slaves(MASTER_NAME)
    in_step = [it for it in replicas if it["master-link-status"] == "ok"]
    return len(in_step) == count


def master_port(sentinel: redis.Redis) -> int:
    """Where redis-py finds the master; GET-MASTER-ADDR-BY-NAME names a new one slightly earlier."""
    master: Any = sentinel.sentinel_master(MASTER_NAME)
    return int(master["port"])


def client_of(port: int, password: str | None = None) -> redis.Redis:
    return redis.Redis(
        port=port, password=password, decode_responses=True, retry=Retry(NoBackoff(), 0)
    )


def port_of(client: redis.Redis) -> int:
    return int(client.connection_pool.connection_kwargs["port"])


def answers(port: int, password: str | None) -> bool:
    with closing(client_of(port, password)) as client:
        try:
            return bool(client.ping())
        except redis.ConnectionError:
            return False


@contextmanager
def cut_off(master: redis.Redis) -> Iterator[None]:
    """During the block the replicas of a master answer, but learn of nothing that is new.

    They fail to log in. A master that forbids PSYNC instead makes them reconnect thousands of
    times a second, until no port is free; and one that allows it again between their PSYNC and
    their SYNC gets replicas that never confirm anything.
    """
    with ExitStack() as stack:
        for replica in replicas_of(master):
            stack.enter_context(closing(replica))
            stack.enter_context(without_its_master(replica))
        master.client_kill_filter(_type="replica")
        yield
    wait_for(lambda: has_replicas_in_step(master), what="the replicas to be in step")


def replicas_of(master: redis.Redis) -> list[redis.Redis]:
    password = master.connection_pool.connection_kwargs.get("password")
    state: Any = master.info("replication")
    found = [it for name, it in state.items() if name.startswith("slave")]
    return [client_of(it["port"], password) for it in found]


@contextmanager
def without_its_master(replica: redis.Redis) -> Iterator[None]:
    password = replica.config_get("masterauth")["masterauth"] or ""
    replica.config_set("masterauth", "wrong")
    try:
        yield
    finally:
        replica.config_set("masterauth", password)


def has_replicas_in_step(master: redis.Redis) -> bool:
    state: Any = master.info("replication")
    replicas = [it for name, it in state.items() if name.startswith("slave")]
    return bool(replicas) and all(
        it["state"] == "online" and it["offset"] == state["master_repl_offset"] for it in replicas
    )
