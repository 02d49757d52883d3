"""A master that dies or hangs: everything goes on with the one that Sentinel names next."""

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from typing import Any

import pytest
import redis

from redistools.client import Client, connect, connect_async
from redistools.exchange import own_connection
from redistools.outages.errors import is_outage
from redistools.scripts import Script
from tests.redis_servers import (
    MASTER_NAME,
    PASSWORD,
    SentinelServers,
    client_of,
    frozen,
    is_in_step,
    master_port,
    port_of,
    watched_servers,
)
from tests.running_site import wait_for

# Servers die and freeze here, which takes its time.
pytestmark = pytest.mark.long

# Nothing takes longer than the time of a command and what was spent on finding the master.
LONGEST_SECONDS = 4.0
FENCE = ("--min-replicas-to-write", "1", "--min-replicas-max-lag", "2")

count_and_tell = Script(__file__, "count_and_tell")


@pytest.fixture
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SentinelServers]:
    """Two replicas: one takes over, the other lets it write."""
    folders = [tmp_path_factory.mktemp("watched") for _ in range(4)]
    with watched_servers(folders, *FENCE) as servers:
        yield servers


def kill(process_id: int) -> AbstractContextManager[None]:
    os.kill(process_id, signal.SIGKILL)
    return nullcontext()


stopped = pytest.mark.parametrize("stop", [kill, frozen])
Stop = Callable[[int], AbstractContextManager[None]]


def process_of(port: int) -> int:
    with closing(client_of(port, PASSWORD)) as client:
        info: Any = client.info("server")
    return int(info["process_id"])


class Load:
    """Does the same all the time, from a thread; remembers what came of it."""

    def __init__(self, work: Callable[[], object]) -> None:
        self._work = work
        self.done, self.slowest, self.errors = 0, 0.0, list[Exception]()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while not self._ended.is_set():
            began = time.monotonic()
            try:
                self._work()
                self.done += 1
            except redis.RedisError as error:
                self.errors.append(error)
                time.sleep(0.01)
            self.slowest = max(self.slowest, time.monotonic() - began)

    def wait_for_more(self) -> None:
        so_far = self.done
        wait_for(lambda: self.done > so_far + 10, what="commands that succeed")

    def end(self) -> None:
        self._ended.set()
        self._thread.join()


@contextmanager
def loads(*works: Callable[[], object]) -> Iterator[list[Load]]:
    running = [Load(work) for work in works]
    try:
        yield running
    finally:
        for load in running:
            load.end()


@stopped
def test_commands_and_batches_go_on_with_the_new_master(
    servers: SentinelServers, stop: Stop
) -> None:
    before = master_port(servers.sentinel)
    with closing(connect(servers.url)) as client:

        def batch() -> None:
            count_and_tell(client, ["counted"], ["alice"])

        with loads(lambda: client.incr("plain"), batch, batch) as running:
            for load in running:
                load.wait_for_more()
            with stop(process_of(before)):
                wait_for(lambda: master_port(servers.sentinel) != before, what="a new master")
                for load in running:
                    load.wait_for_more()
            for load in running:
                load.wait_for_more()
        with closing(client_of(master_port(servers.sentinel), PASSWORD)) as master:
            assert int(str(master.get("plain"))) > 0
    assert max(load.slowest for load in running) < LONGEST_SECONDS
    assert all(is_outage(error) for load in running for error in load.errors)


@stopped
def test_an_asyncio_client_goes_on_too(servers: SentinelServers, stop: Stop) -> None:
    before = master_port(servers.sentinel)

    async def go_on() -> None:
        client = connect_async(servers.url)
        try:
            await client.set("name", "alice")
            with stop(process_of(before)):
                await asyncio.to_thread(
                    wait_for, lambda: master_port(servers.sentinel) != before, what="a new master"
                )
                await within_ten_seconds(lambda: client.set("name", "bob"))
        finally:
            await client.aclose()

    asyncio.run(go_on())
    with closing(client_of(master_port(servers.sentinel), PASSWORD)) as master:
        assert master.get("name") == "bob"


async def within_ten_seconds(command: Callable[[], Any]) -> None:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        began = time.monotonic()
        with suppress(redis.RedisError):
            await command()
            return
        assert time.monotonic() < began + LONGEST_SECONDS
        await asyncio.sleep(0.05)
    pytest.fail("no command succeeded within ten seconds")


@contextmanager
def failed_over(servers: SentinelServers) -> Iterator[redis.Redis]:
    """To a replica, on request; gives a client of the new master. The old one lives on, and its
    clients have to connect again.
    """
    before = master_port(servers.sentinel)
    servers.sentinel.execute_command("SENTINEL", "FAILOVER", MASTER_NAME)
    wait_for(lambda: master_port(servers.sentinel) != before, what="a new master")
    with closing(client_of(before, PASSWORD)) as old:
        for kind in ("normal", "pubsub"):
            old.client_kill_filter(_type=kind)
    with closing(client_of(master_port(servers.sentinel), PASSWORD)) as master:
        wait_for(lambda: is_writable(master), what="the new master to have its replica")
        yield master


def is_writable(server: redis.Redis) -> bool:
    return succeeds(lambda: server.set("written", "yes"))


def succeeds(work: Callable[[], object]) -> bool:
    with suppress(redis.RedisError):
        work()
        return True
    return False


def test_a_blocked_command_follows_the_master(servers: SentinelServers) -> None:
    """It breaks, and is sent again: to the new master."""
    with (
        closing(connect(f"{servers.url}&socket_timeout=20")) as client,
        ThreadPoolExecutor(1) as other,
    ):
        listening = other.submit(client.blpop, ["tokens"], timeout=15)
        wait_until_somebody_blocks(servers)
        with failed_over(servers) as master:
            master.rpush("tokens", "one")
            assert listening.result() == ("tokens", "one")


def test_a_blocked_asyncio_command_follows_the_master(servers: SentinelServers) -> None:
    async def listen() -> object:
        client: Any = connect_async(f"{servers.url}&socket_timeout=20")
        try:
            listening = asyncio.create_task(client.blpop(["tokens"], timeout=15))
            await asyncio.to_thread(wait_until_somebody_blocks, servers)
            await asyncio.to_thread(push_after_failover)
            return await listening
        finally:
            await client.aclose()

    def push_after_failover() -> None:
        with failed_over(servers) as master:
            master.rpush("tokens", "one")

    assert asyncio.run(listen()) == ("tokens", "one")


def wait_until_somebody_blocks(servers: SentinelServers) -> None:
    with closing(client_of(master_port(servers.sentinel), PASSWORD)) as master:
        wait_for(lambda: master.info("clients")["blocked_clients"] == 1, what="BLPOP")


def test_a_subscription_follows_the_master(servers: SentinelServers) -> None:
    async def subscribe() -> object:
        client: Any = connect_async(servers.url)
        pubsub = client.pubsub(ignore_subscribe_messages=True)
        try:
            await pubsub.subscribe("news")
            listening = asyncio.create_task(next_message(pubsub))
            await asyncio.to_thread(publish_after_failover)
            return await listening
        finally:
            await pubsub.aclose()
            await client.aclose()

    def publish_after_failover() -> None:
        with failed_over(servers) as master:
            wait_for(lambda: master.publish("news", "hello"), what="a subscriber")

    assert asyncio.run(subscribe()) == "hello"


async def next_message(pubsub: Any) -> object:
    while (message := await pubsub.get_message(timeout=1)) is None:
        pass
    return message["data"]


def test_a_script_that_finds_itself_on_a_replica_is_sent_to_the_master(
    servers: SentinelServers,
) -> None:
    before = master_port(servers.sentinel)
    with closing(connect(servers.url)) as client, failed_over(servers) as master:
        assert isinstance(client, redis.Redis)
        with closing(client_of(before, PASSWORD)) as old:
            old.replicaof("127.0.0.1", port_of(master))
            wait_for(lambda: is_in_step(old), what="the old master to be a replica")
        connection = own_connection(client).connection
        connection.connect_to(("127.0.0.1", before))
        assert count_and_tell(client, ["counted"], ["alice"]) == ["alice", 1]
        assert master.get("counted") == "1"


def test_no_thread_waits_for_the_old_master_once_the_new_one_is_known(
    servers: SentinelServers,
) -> None:
    before = master_port(servers.sentinel)
    with closing(connect(servers.url)) as client, ThreadPoolExecutor(1) as other:

        def count() -> object:
            return count_and_tell(client, ["counted"], ["alice"])

        count()
        other.submit(count).result()
        with frozen(process_of(before)):
            wait_for(lambda: master_port(servers.sentinel) != before, what="a new master")
            wait_for(lambda: succeeds(count), what="one thread to find the new master")
            assert succeeds(other.submit(count).result)


def test_a_fenced_master_accepts_nothing_after_it_was_replaced(servers: SentinelServers) -> None:
    """Some process slept through it all, and its connection to the old master is still open."""
    before = master_port(servers.sentinel)
    accepted = []
    with closing(client_of(before, PASSWORD)) as sleeper:
        sleeper.ping()
        with frozen(process_of(before)):
            wait_for(lambda: master_port(servers.sentinel) != before, what="a new master")
            with closing(client_of(master_port(servers.sentinel), PASSWORD)) as master:
                wait_for(lambda: is_writable(master), what="the new master to have its replica")
        wait_for(lambda: replicas_of(sleeper) == 0, what="the old master to miss its replicas")
        # Sentinel makes it a replica some ten seconds later. Until then it believes in itself.
        deadline, tried = time.monotonic() + 3, 0
        while time.monotonic() < deadline:
            tried += 1
            if succeeds(lambda: sleeper.set("late", "written")):
                accepted.append(tried)
    assert tried > 1
    assert accepted == []


def replicas_of(server: Client) -> int:
    found: Any = server.info("replication")
    return int(found["connected_slaves"])


def test_a_client_that_is_refused_by_a_fenced_master_asks_for_the_new_one(
    servers: SentinelServers,
) -> None:
    before = master_port(servers.sentinel)
    with closing(connect(servers.url)) as client:
        count_and_tell(client, ["counted"], ["alice"])
        replicas = replicas_of(client)
        wait_for(lambda: client.wait(replicas, 1_000) == replicas, what="copies of the count")
        with frozen(process_of(before)):
            wait_for(lambda: master_port(servers.sentinel) != before, what="a new master")
            with closing(client_of(master_port(servers.sentinel), PASSWORD)) as master:
                wait_for(lambda: is_writable(master), what="the new master to have its replica")
        with closing(client_of(before, PASSWORD)) as old:
            wait_for(lambda: replicas_of(old) == 0, what="the old master to miss its replicas")
        assert count_and_tell(client, ["counted"], ["alice"]) == ["alice", 2]
        with closing(client_of(master_port(servers.sentinel), PASSWORD)) as master:
            assert master.get("counted") == "2"
