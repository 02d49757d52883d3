"""Many commands in one write: the answers of a pipeline, and no mix-up after a loss."""

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import pytest
import redis
from django.conf import settings
from redis.exceptions import ResponseError

from redistools.client import connect, get_client
from redistools.exchange import Command, exchange, own_connection
from tests.cluster import on_a_server
from tests.running_site import wait_for

pytestmark = on_a_server


@pytest.fixture
def client() -> Iterator[redis.Redis]:
    with closing(connect(settings.REDIS_URL)) as one:
        assert isinstance(one, redis.Redis)
        yield one


def test_answers_are_those_of_a_pipeline(client: redis.Redis, key_prefix: str) -> None:
    name = f"{key_prefix}h"
    commands: list[Command] = [
        ("HSET", name, "text", "grüße 🎉", "number", 7, "ratio", 0.5, "bytes", b"raw"),
        ("HGETALL", name),
        ("HGETALL", f"{name}:missing"),
        ("ZADD", f"{name}:z", 1, "a", 2, "b"),
        ("ZRANGE", f"{name}:z", 0, -1),
        ("SET", f"{name}:s", "x"),
        ("GET", f"{name}:nothing"),
    ]
    pipeline: Any = client.pipeline(transaction=False)
    for command in commands:
        pipeline.execute_command(*command)
    expected = pipeline.execute()
    client.delete(name, f"{name}:z", f"{name}:s")
    assert exchange(client, commands) == expected


def test_an_error_stands_in_its_place(client: redis.Redis, key_prefix: str) -> None:
    set_, wrong, get = exchange(
        client,
        [("SET", f"{key_prefix}a", "text"), ("INCR", f"{key_prefix}a"), ("GET", f"{key_prefix}a")],
    )
    assert (set_, get) == (True, "text")
    assert isinstance(wrong, ResponseError)


def test_a_lost_connection_is_replaced_and_everything_sent_again(client: redis.Redis) -> None:
    [own] = exchange(client, [("CLIENT", "ID")])
    hang_up: Command = ("CLIENT", "KILL", "ID", own, "SKIPME", "no")
    assert exchange(client, [hang_up, ("ECHO", "after")]) == [0, "after"]


def test_each_thread_has_a_connection_of_its_own(client: redis.Redis) -> None:
    ask: list[Command] = [("CLIENT", "ID")]
    assert exchange(client, ask) == exchange(client, ask)
    with ThreadPoolExecutor(1) as other:
        theirs = other.submit(exchange, client, ask).result()
        assert theirs != exchange(client, ask)
        assert theirs == other.submit(exchange, client, ask).result()


def test_a_connection_ends_with_its_thread(client: redis.Redis) -> None:
    with ThreadPoolExecutor(1) as other:
        [theirs] = other.submit(exchange, client, [("CLIENT", "ID")]).result()
        assert theirs in open_connections(client)
    wait_for(lambda: theirs not in open_connections(client))


def open_connections(client: redis.Redis) -> set[int]:
    listed: list[dict[str, str]] = client.client_list()
    return {int(it["id"]) for it in listed}


def test_a_forked_process_opens_its_own() -> None:
    ours = _own_id()
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply(_own_id) != ours
    assert _own_id() == ours


def _own_id() -> object:
    client = get_client()
    assert isinstance(client, redis.Redis)
    return exchange(client, [("CLIENT", "ID")])[0]


def test_what_is_interrupted_leaves_no_answers_behind(
    client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection: Any = own_connection(client).connection
    connection.connect()
    parser = connection._parser
    read = parser.read_response

    def read_once(**options: object) -> object:
        monkeypatch.setattr(parser, "read_response", interrupt)
        return read(**options)

    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(parser, "read_response", read_once)
    with pytest.raises(KeyboardInterrupt):
        exchange(client, [("ECHO", "one"), ("ECHO", "two")])
    monkeypatch.undo()
    assert exchange(client, [("ECHO", "three")]) == ["three"]


def test_a_connection_that_breaks_between_two_answers_is_made_again(
    client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection: Any = own_connection(client).connection
    connection.connect()
    parser, before = connection._parser, connection._sock
    read, answers = parser.read_response, iter((True,))

    def read_one(**options: object) -> object:
        if next(answers, False):
            return read(**options)
        monkeypatch.undo()
        raise ConnectionResetError

    monkeypatch.setattr(parser, "read_response", read_one)
    assert exchange(client, [("ECHO", "one"), ("ECHO", "two")]) == ["one", "two"]
    assert connection._sock is not before
