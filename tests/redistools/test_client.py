import asyncio
from contextlib import closing
from typing import Any

import pytest
from pytest_django import Settings
from redis.exceptions import ResponseError

from redistools import keys
from redistools.client import (
    MINIMUM_VERSION,
    Client,
    connect,
    connect_async,
    get_async_client,
    get_binary_client,
    get_client,
    server_version,
)
from redistools.exchange import own_connection
from redistools.ids import IdSequence
from redistools.lock import LockNotAcquired, lock
from redistools.rate_limit import RateLimit
from redistools.scripts import Batch, Script
from redistools.semaphore import Semaphore, semaphore
from redistools.servers.cluster import GuardedCluster
from tests.redis_servers import (
    MASTER_NAME,
    PASSWORD,
    SentinelServers,
    client_of,
    master_port,
)
from tests.running_site import wait_for

count_and_tell = Script(__file__, "count_and_tell")


def test_answers_are_text_or_bytes(any_redis_url: str, key_prefix: str) -> None:
    with (
        closing(connect(any_redis_url)) as client,
        closing(connect(any_redis_url, binary=True)) as binary,
    ):
        client.set(f"{key_prefix}name", "zoë")
        assert client.get(f"{key_prefix}name") == "zoë"
        assert binary.get(f"{key_prefix}name") == "zoë".encode()


def test_an_asyncio_client_reaches_the_same_keys(
    any_client: Client, any_redis_url: str, key_prefix: str
) -> None:
    async def read_and_write() -> object:
        client = connect_async(any_redis_url)
        try:
            await client.set(f"{key_prefix}from", "loop")
            return await client.get(f"{key_prefix}to")
        finally:
            await client.aclose()

    any_client.set(f"{key_prefix}to", "loop, too")
    assert asyncio.run(read_and_write()) == "loop, too"
    assert any_client.get(f"{key_prefix}from") == "loop"


def test_the_oldest_server_tells_its_version(any_client: Client) -> None:
    assert server_version(any_client) >= MINIMUM_VERSION


def test_a_process_keeps_one_client_of_each_kind() -> None:
    assert get_client() is get_client()
    assert get_binary_client() is get_binary_client()


def test_another_url_has_a_client_of_its_own(settings: Settings) -> None:
    """A thread of an earlier test may ask for a client at any moment."""
    usual, url = (get_client(), get_binary_client()), settings.REDIS_URL
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    assert get_client() not in usual
    assert get_binary_client() not in usual
    settings.REDIS_URL = url
    assert (get_client(), get_binary_client()) == usual


def test_each_event_loop_has_a_client_of_its_own() -> None:
    async def two_clients() -> tuple[object, object]:
        client = get_async_client()
        await client.ping()
        await client.aclose()
        return client, get_async_client()

    first, again = asyncio.run(two_clients())
    assert first is again
    assert asyncio.run(two_clients())[0] is not first


def test_a_script_survives_that_the_server_forgets_it(any_client: Client, key_prefix: str) -> None:
    for expected in (1, 2):
        any_client.script_flush()
        assert count_and_tell(any_client, [f"{key_prefix}n"], ["alice"]) == ["alice", expected]


def test_a_batch_of_scripts_and_commands_over_many_slots_answers_in_order(
    any_client: Client, key_prefix: str
) -> None:
    for expected in (1, 2, 3):
        if expected == 2:
            any_client.script_flush()
        batch = Batch(any_client)
        for number in range(20):
            batch.call(count_and_tell, [f"{key_prefix}script:{number}"], [number])
            batch.add("INCRBY", f"{key_prefix}command:{number}", number)
        answers = batch.run()
        assert answers[0::2] == [[str(number), expected] for number in range(20)]
        assert answers[1::2] == [number * expected for number in range(20)]


def test_a_batch_keeps_its_order_on_a_server_that_started_without_scripts(
    any_client: Client, key_prefix: str
) -> None:
    """Otherwise what follows a script would run before it."""
    for _ in range(2):
        any_client.script_flush()
        batch = Batch(any_client)
        for number in range(20):
            batch.call(count_and_tell, [f"{key_prefix}{number}"], ["alice"])
            batch.add("SET", f"{key_prefix}{number}", "the last word")
        batch.run()
        held = {any_client.get(f"{key_prefix}{number}") for number in range(20)}
        assert held == {"the last word"}
        for number in range(20):
            any_client.delete(f"{key_prefix}{number}")
        hang_up(any_client)


def hang_up(client: Client) -> None:
    """As a server that is started again does."""
    cluster: Any = client
    for node in cluster.get_primaries() if isinstance(client, GuardedCluster) else [client]:
        own_connection(getattr(node, "redis_connection", node)).connection.disconnect()


def test_a_batch_raises_the_first_error_after_every_node_had_its_turn(
    any_client: Client, key_prefix: str
) -> None:
    batch = Batch(any_client)
    any_client.set(f"{key_prefix}text", "text")
    batch.add("INCR", f"{key_prefix}text")
    for number in range(20):
        batch.add("SET", f"{key_prefix}{number}", "written")
    with pytest.raises(ResponseError, match="not an integer"):
        batch.run()
    assert [any_client.get(f"{key_prefix}{number}") for number in range(20)] == ["written"] * 20


def test_ids_rise_on_every_kind_of_redis(any_client: Client) -> None:
    sequence = IdSequence("statuses", floor=lambda: 0)
    ids = [sequence.next(any_client) for _ in range(50)]
    assert ids == sorted(set(ids))


def test_a_lock_holds_on_every_kind_of_redis(any_client: Client) -> None:
    with lock(any_client, "rebuild", timeout=30) as held:
        any_client.script_flush()
        held.extend()
        with pytest.raises(LockNotAcquired), lock(any_client, "rebuild", timeout=30, wait=0):
            pass
    with lock(any_client, "rebuild", timeout=30, wait=0):
        pass


def test_a_semaphore_holds_on_every_kind_of_redis(any_client: Client) -> None:
    exports = Semaphore(any_client, "exports", limit=1, lease=30)
    with semaphore(any_client, "exports", limit=1, lease=30, wait=0) as slot:
        assert not exports.enter("bob")
        assert slot.refresh()
    assert exports.enter("bob")
    assert exports.enter_as_newest("carol") == ["bob"]


def test_a_rate_limit_holds_on_every_kind_of_redis(any_client: Client) -> None:
    logins = RateLimit(any_client, "login", limit=1, window=60)
    assert logins.hit("alice").allowed
    assert not logins.hit("alice").allowed


def test_the_client_follows_a_failover_and_ids_still_rise(redis_sentinels: SentinelServers) -> None:
    sentinel, sequence = redis_sentinels.sentinel, IdSequence("statuses", floor=lambda: 0)
    before = master_port(sentinel)
    with closing(connect(redis_sentinels.url)) as client:
        first = sequence.next(client)
        sentinel.execute_command("SENTINEL", "FAILOVER", MASTER_NAME)
        wait_for(lambda: master_port(sentinel) != before, what="a new master")
        with closing(client_of(before, PASSWORD)) as old_master:
            old_master.client_kill_filter(_type="normal")
        second = sequence.next(client)
    assert second > first
    with closing(client_of(master_port(sentinel), PASSWORD)) as new_master:
        assert new_master.get(keys.id_sequence("statuses")) == str(second)
