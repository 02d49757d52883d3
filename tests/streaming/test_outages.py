"""Redis goes away, stream processes stop: what clients see of it."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import httpx
import pytest
import redis
from pytest_django import Settings

from access.tokens import create_token
from processes import embedded_redis
from redistools.client import get_client
from statuses.services import post_status
from tests.redis_keys import keys_of_the_test
from tests.running_site import temporary_folder, wait_for
from tests.streaming.server import StreamReader, StreamServer, stream_server
from users.models import User

SAMPLE = "/1.1/statuses/sample.json"
EVERYTHING = {"percent": 100}


@pytest.fixture
def redis_socket(settings: Settings) -> Iterator[Path]:
    """A Redis of its own, which the test may stop."""
    with temporary_folder() as folder:
        socket = folder / "redis" / "redis.sock"
        settings.REDIS_URL = f"unix://{socket}"
        yield socket


def test_a_hub_subscribes_again_and_reads_what_it_missed(
    redis_socket: Path, key_prefix: str, alice: User
) -> None:
    _, token = create_token(user=alice, name="tests")
    with embedded_redis.running(redis_socket):
        with_server = stream_server(key_prefix)
        server = with_server.__enter__()
        stream = StreamReader(server, SAMPLE, token, params=EVERYTHING)
        before = post_status(author=alice, text="before").pk
        stream.wait(lambda it: it.ids == [before])
    wait_for(lambda: server.health()["status"] == "unavailable")
    assert server.health()["subscription"] != "ok"
    with embedded_redis.running(redis_socket):
        wait_for(redis_answers)
        # The hub tries twice a second, so this is most likely in the log before it is back.
        missed = post_status(author=alice, text="missed").pk
        stream.wait(lambda it: it.ids == [before, missed])
        wait_for(lambda: server.health()["status"] == "ok")
        after = post_status(author=alice, text="after").pk
        stream.wait(lambda it: it.ids == [before, missed, after])
        stream.close()
        with_server.__exit__(None, None, None)


def redis_answers() -> bool:
    """Not before the breaker of this process has closed."""
    try:
        return bool(get_client().ping())
    except redis.ConnectionError:
        return False


def test_a_hub_that_missed_messages_notices_and_reads_them(
    redis_socket: Path, key_prefix: str, alice: User
) -> None:
    """As when a subscription is cut and remade by the client library behind our back."""
    _, token = create_token(user=alice, name="tests")
    with embedded_redis.running(redis_socket), stream_server(key_prefix) as server:
        stream = StreamReader(server, SAMPLE, token, params=EVERYTHING)
        ids = []
        for n in range(20):
            get_client().client_kill_filter(_type="pubsub")
            ids.append(post_status(author=alice, text=f"{n}").pk)
        stream.wait(lambda it: it.ids == ids)
        stream.close()


def test_a_redis_that_lost_its_memory_ends_streams_instead_of_hiding_a_gap(
    redis_socket: Path, key_prefix: str, alice: User
) -> None:
    _, token = create_token(user=alice, name="tests")
    with embedded_redis.running(redis_socket), stream_server(key_prefix) as server:
        stream = StreamReader(server, SAMPLE, token, params=EVERYTHING)
        first = post_status(author=alice, text="one").pk
        stream.wait(lambda it: it.ids == [first])
        client = get_client()
        client.delete(*keys_of_the_test("events:*"))
        post_status(author=alice, text="two")
        assert stream.ended.wait(10)
        assert stream.goodbye == 10
        stream.close()


def test_sigterm_tells_every_client_and_ends(key_prefix: str, alice: User, token: str) -> None:
    server = StreamServer(key_prefix)
    server.wait_until_healthy()
    streams = [StreamReader(server, SAMPLE, token, params=EVERYTHING) for _ in range(5)]
    assert server.stop(signal.SIGTERM) == 0
    for stream in streams:
        assert stream.ended.wait(10)
        assert stream.goodbye == 1
        stream.close()


@pytest.mark.long
def test_a_rolling_restart_loses_nothing_for_clients_that_resume(
    key_prefix: str, alice: User, token: str
) -> None:
    servers = [StreamServer(key_prefix) for _ in range(2)]
    for server in servers:
        server.wait_until_healthy()
    first = post_status(author=alice, text="first").pk
    posted: list[int] = []
    with posting(alice, posted):
        client = ResumingClient(servers, token, first)
        for place in range(2):
            wait_for(lambda: len(client.ids) > 5)
            servers[place].stop()
            enough = len(client.ids) + 5
            servers[place] = StreamServer(key_prefix)
            wait_for(partial(client.has_more_than, enough))
            servers[place].wait_until_healthy()
    wait_for(lambda: client.ids[-1:] == posted[-1:])
    assert client.ids == posted
    assert client.connections >= 2
    client.stop()
    for server in servers:
        server.stop()


class ResumingClient:
    """Reads from whichever server answers, and goes on after the last id that it saw."""

    def __init__(self, servers: list[StreamServer], token: str, since_id: int) -> None:
        self.ids: list[int] = []
        self.connections = 0
        self._servers, self._token, self._since_id = servers, token, since_id
        self._stopped = threading.Event()
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        turn = 0
        while not self._stopped.is_set():
            turn += 1
            params = EVERYTHING | {"since_id": (self.ids or [self._since_id])[-1]}
            try:
                stream = StreamReader(self._servers[turn % 2], SAMPLE, self._token, params=params)
            except (httpx.TransportError, StopIteration):
                self._stopped.wait(0.05)
                continue
            self._read(stream)

    def _read(self, stream: StreamReader) -> None:
        self.connections += stream.response.status_code == 200
        taken = 0
        while not (self._stopped.is_set() or (stream.ended.is_set() and taken == len(stream.ids))):
            self.ids += stream.ids[taken:]
            taken = len(stream.ids)
            self._stopped.wait(0.01)
        stream.close()

    def has_more_than(self, count: int) -> bool:
        return len(self.ids) > count

    def stop(self) -> None:
        self._stopped.set()


@contextmanager
def posting(author: User, posted: list[int]) -> Iterator[None]:
    done = threading.Event()

    def post() -> None:
        while not done.wait(0.05):
            posted.append(post_status(author=author, text="and on it goes").pk)

    thread = threading.Thread(target=post)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
