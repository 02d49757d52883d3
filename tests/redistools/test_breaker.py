"""A Redis that hangs: the first command waits for a second, the others not at all."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import redis

from processes import embedded_redis
from redistools.client import TIMEOUT_SECONDS, Client, breaker_of, connect, connect_async
from redistools.outages.breaker import RedisAway
from redistools.scripts import Batch
from tests.redis_servers import frozen, running_server
from tests.running_site import temporary_folder, wait_for

# The hundredth in a row, too.
IN_A_ROW = 100
# To wait for one command, on a busy machine; a command that is retried takes longer.
ONCE = 4 * TIMEOUT_SECONDS


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """A separate server, which the test may stop."""
    with running_server(tmp_path) as port:
        yield f"redis://127.0.0.1:{port}/0"


@pytest.fixture(params=["server", "cluster"])
def hanging_url(request: pytest.FixtureRequest) -> str:
    """Of a Redis that the test may stop for a while; Sentinels would promote another."""
    url: str = request.getfixturevalue("url" if request.param == "server" else "redis_cluster_url")
    return url


def servers_of(client: Client) -> list[int]:
    """The ids of all processes behind the client."""
    if isinstance(client, redis.RedisCluster):
        found: Any = client.info("server", target_nodes=client.ALL_NODES)
        return [server["process_id"] for server in found.values()]
    return [client.info("server")["process_id"]]


def seconds_to_fail(command: Callable[[], object]) -> float:
    began = time.monotonic()
    with pytest.raises((redis.ConnectionError, redis.TimeoutError)):
        command()
    return time.monotonic() - began


def batch_of(client: Client, prefix: str) -> Batch:
    batch = Batch(client)
    for number in range(20):
        batch.add("SET", f"{prefix}{number}", "written")
    return batch


def answers(client: Client, key: str) -> bool:
    with suppress(redis.RedisError):
        client.get(key)
        return True
    return False


def test_nobody_waits_for_a_redis_that_is_known_to_hang(hanging_url: str, key_prefix: str) -> None:
    with closing(connect(hanging_url)) as client, closing(connect(hanging_url)) as other:
        client.get(key_prefix)
        other.get(key_prefix)
        with frozen(*servers_of(client)):
            assert seconds_to_fail(partial(client.get, key_prefix)) < ONCE
            began = time.monotonic()
            for _ in range(IN_A_ROW):
                seconds_to_fail(partial(client.get, key_prefix))
                seconds_to_fail(batch_of(client, key_prefix).run)
                seconds_to_fail(partial(other.get, key_prefix))
            assert time.monotonic() - began < IN_A_ROW * TIMEOUT_SECONDS / 4
        wait_for(lambda: answers(client, key_prefix) and answers(other, key_prefix))
        assert batch_of(client, key_prefix).run() == [True] * 20


def test_a_batch_waits_once_and_not_again(hanging_url: str, key_prefix: str) -> None:
    with closing(connect(hanging_url)) as client:
        batch_of(client, key_prefix).run()
        with frozen(*servers_of(client)):
            assert seconds_to_fail(batch_of(client, key_prefix).run) < ONCE
            assert seconds_to_fail(batch_of(client, key_prefix).run) < TIMEOUT_SECONDS
        wait_for(lambda: answers(client, key_prefix))


def test_a_new_connection_waits_no_longer_than_an_old_one(url: str) -> None:
    with closing(connect(url)) as witness, closing(connect(url)) as client:
        with frozen(*servers_of(witness)):
            assert seconds_to_fail(client.ping) < ONCE
        wait_for(lambda: answers(client, "key"))


def test_an_asyncio_client_shares_the_breaker(hanging_url: str, key_prefix: str) -> None:
    async def try_both(witness: Client) -> None:
        client: Any = connect_async(hanging_url)
        try:
            await client.get(key_prefix)
            with frozen(*servers_of(witness)):
                began = time.monotonic()
                with pytest.raises((redis.ConnectionError, redis.TimeoutError)):
                    await client.get(key_prefix)
                assert time.monotonic() - began < 6
                with pytest.raises(RedisAway):
                    await client.get(key_prefix)
                assert seconds_to_fail(partial(witness.get, key_prefix)) < TIMEOUT_SECONDS
            await asyncio.to_thread(wait_for, lambda: answers(witness, key_prefix))
            assert await client.get(key_prefix) is None
        finally:
            await client.aclose()

    with closing(connect(hanging_url)) as witness:
        asyncio.run(try_both(witness))


def test_a_late_answer_is_read_by_nobody(url: str) -> None:
    with closing(connect(url)) as client:
        client.set("name", "alice")
        with frozen(*servers_of(client)):
            seconds_to_fail(partial(client.get, "name"))
        wait_for(lambda: answers(client, "other"))
        assert client.get("other") is None
        assert client.get("name") == "alice"


def test_a_connection_that_broke_is_made_again(url: str) -> None:
    with closing(connect(url)) as client:
        client.set("name", "alice")
        client.client_kill_filter(skipme=False)
        assert client.get("name") == "alice"


def test_one_thread_asks_for_all(url: str) -> None:
    with closing(connect(url)) as client:
        client.ping()
        before = set(threading.enumerate())
        with frozen(*servers_of(client)):
            for _ in range(IN_A_ROW):
                seconds_to_fail(client.ping)
            (asking,) = set(threading.enumerate()) - before
        wait_for(lambda: not asking.is_alive())
        assert breaker_of(url).error is None


def test_a_server_that_is_gone_is_found_again() -> None:
    with temporary_folder() as folder:
        socket = folder / "redis" / "redis.sock"
        with embedded_redis.running(socket):
            client = connect(f"unix://{socket}")
            client.set("name", "alice")
        assert seconds_to_fail(client.ping) < ONCE
        assert seconds_to_fail(client.ping) < TIMEOUT_SECONDS
        with embedded_redis.running(socket), closing(client):
            wait_for(lambda: answers(client, "name"))
            assert client.get("name") == "alice"


def test_a_server_that_refuses_is_not_away(url: str) -> None:
    with closing(connect(url)) as client:
        client.config_set("maxmemory", 1)
        with pytest.raises(redis.ResponseError):
            client.set("name", "alice")
        assert client.get("name") is None
