"""What counts as an outage, with the errors of real servers; and one log line a minute."""

import io
import logging
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import redis
from django.db import IntegrityError, OperationalError
from django_redis.exceptions import ConnectionInterrupted

from redistools.client import Client, connect
from redistools.outages.errors import (
    QUIET_SECONDS,
    OncePerMinute,
    WithoutOutageTracebacks,
    is_outage,
)
from redistools.scripts import Script
from tests.redis_servers import running_server

count_and_tell = Script(__file__, "count_and_tell")


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """Of a separate server, which the test may break."""
    with (
        running_server(tmp_path) as port,
        closing(connect(f"redis://127.0.0.1:{port}/0")) as client,
    ):
        yield client


def fill_memory(client: Client) -> None:
    client.config_set("maxmemory", 1)


def make_read_only(client: Client) -> None:
    client.replicaof("127.0.0.1", 1)


def lose_master(client: Client) -> None:
    client.config_set("replica-serve-stale-data", "no")
    make_read_only(client)


def want_replicas(client: Client) -> None:
    client.config_set("min-replicas-to-write", 1)


@pytest.mark.parametrize("spoil", [fill_memory, make_read_only, lose_master, want_replicas])
def test_a_server_that_refuses_to_write_is_an_outage(
    client: Client, spoil: Callable[[Client], None]
) -> None:
    spoil(client)
    with pytest.raises(redis.RedisError) as by_command:
        client.set("name", "alice")
    with pytest.raises(redis.RedisError) as by_script:
        count_and_tell(client, ["n"], ["alice"])
    assert is_outage(by_command.value)
    assert is_outage(by_script.value)


def test_a_wrong_command_is_a_mistake(client: Client) -> None:
    client.set("name", "OOM MISCONF")
    with pytest.raises(redis.ResponseError) as by_command:
        client.incr("name")
    with pytest.raises(redis.ResponseError) as by_script:
        count_and_tell(client, ["name"], ["alice"])
    assert not is_outage(by_command.value)
    assert not is_outage(by_script.value)


def test_lost_connections_and_databases_are_outages_and_bugs_are_not() -> None:
    interrupted = ConnectionInterrupted(connection=None)
    interrupted.__cause__ = redis.TimeoutError()
    for outage in (redis.ConnectionError(), OperationalError("disk is full"), interrupted):
        assert is_outage(outage)
    for other in (IntegrityError(), ValueError(), None, "MISCONF "):
        assert not is_outage(other)


class Log:
    """A logger set up like the site's, and what it prints."""

    def __init__(self) -> None:
        self.now = 0.0
        self._output = io.StringIO()
        handler = logging.StreamHandler(self._output)
        handler.addFilter(OncePerMinute(clock=lambda: self.now))
        handler.setFormatter(WithoutOutageTracebacks("%(message)s"))
        self.logger = logging.getLogger(uuid.uuid4().hex)
        self.logger.propagate = False
        self.logger.addHandler(handler)

    @property
    def lines(self) -> list[str]:
        return self._output.getvalue().splitlines()


def test_an_outage_is_one_line_a_minute_without_its_traceback() -> None:
    log = Log()
    for log.now in (0.0, 1.0, QUIET_SECONDS - 1, QUIET_SECONDS):
        log.logger.error("Error at %s", log.now, exc_info=redis.TimeoutError("no answer"))
    assert log.lines == [f"Error at {it} (TimeoutError: no answer)" for it in (0.0, 60.0)]


def test_an_outage_among_the_arguments_counts_too() -> None:
    log = Log()
    for name in ("publish", "deliver"):
        log.logger.warning("%s is left to a worker: %s", name, redis.TimeoutError("no answer"))
    assert log.lines == ["publish is left to a worker: no answer"]


def test_lines_about_anything_else_come_as_often_as_they_are_written() -> None:
    log = Log()
    for _ in range(2):
        log.logger.error("Error", exc_info=ValueError("a bug"))
    assert log.lines == ["Error", "ValueError: a bug"] * 2


def test_the_site_prints_outages_that_way() -> None:
    (handler,) = (it for it in logging.getLogger().handlers if it.name == "stderr")
    assert isinstance(handler.formatter, WithoutOutageTracebacks)
    assert any(isinstance(it, OncePerMinute) for it in handler.filters)
