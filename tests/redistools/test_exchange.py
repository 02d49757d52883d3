"""Many commands in one write: the answers of a pipeline, and no mix-up after a loss."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
import redis
from django.conf import settings
from redis.exceptions import ResponseError

from redistools.client import connect
from redistools.exchange import Command, exchange


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
    hang_up: Command = ("CLIENT", "KILL", "ID", client.client_id(), "SKIPME", "no")
    assert exchange(client, [hang_up, ("ECHO", "after")]) == [0, "after"]


def test_what_is_interrupted_leaves_no_answers_behind(
    client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection: Any = client.connection_pool.get_connection()
    client.connection_pool.release(connection)
    read = connection.read_response

    def read_once() -> object:
        monkeypatch.setattr(connection, "read_response", interrupt)
        return read()

    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(connection, "read_response", read_once)
    with pytest.raises(KeyboardInterrupt):
        exchange(client, [("ECHO", "one"), ("ECHO", "two")])
    monkeypatch.undo()
    assert client.echo("three") == "three"
