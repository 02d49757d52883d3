"""Clients that never read, beside many that do: real sockets, a real process."""

import selectors
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import psutil
import pytest
from oauth2_provider.models import AccessToken

from redistools import keys
from redistools.client import get_client
from tests.running_site import wait_for
from tests.streaming.publishing import publish_posts, stored
from tests.streaming.server import StreamServer, stream_server
from users.models import User

NEVER_READING, READING = 10, 100
# Twice what the buffers of a client hold, the kernel's included.
STATUSES, AT_ONCE, TEXT = 1_000, 100, "x" * 2_500


@pytest.fixture
def server(db: None, key_prefix: str) -> Iterator[StreamServer]:
    with stream_server(key_prefix, STREAM_STATUSES_PER_SECOND="0") as server:
        yield server


@pytest.mark.long
def test_ten_that_never_read_are_cut_off_and_a_hundred_that_do_lose_nothing(
    server: StreamServer, carol: User, token: str
) -> None:
    with (
        open_streams(server, token, READING) as readers,
        open_streams(server, token, NEVER_READING, receive_buffer=4_096) as stuck,
    ):
        before = memory(server)
        for start in range(1, STATUSES + 1, AT_ONCE):
            statuses = range(start, start + AT_ONCE)
            publish(statuses)
            # At once, so that those who read keep up on a busy machine too.
            assert read_until(statuses[-1], readers) == [AT_ONCE] * READING
        assert memory(server) - before < 30_000_000
        at_once, late = stuck[:5], stuck[5:]
        for it in at_once:
            assert_told_to_read_faster(it)
        wait_for(lambda: seats_taken() == READING, what="the others to be given up")
        for it in late:
            assert_told_to_read_faster(it)


def assert_told_to_read_faster(it: socket.socket) -> None:
    """Code 4, once, and the end of the last chunk: no reset."""
    received = read_to_the_end(it)
    assert received.count(b'"disconnect":{"code":4,') == 1
    assert received.endswith(b"\r\n0\r\n\r\n")


def seats_taken() -> int:
    name = f"stream:token:{AccessToken.objects.get().pk}"
    taken: int = get_client().zcard(keys.semaphore_tickets(name))
    return taken


def publish(status_ids: range) -> None:
    publish_posts([stored(status_id, author_id=1, text=TEXT) for status_id in status_ids])


def read_until(last_id: int, readers: list[socket.socket]) -> list[int]:
    """How many statuses each reader got, when all have this one."""
    last = f'"id":{last_id},'.encode()
    counts, tails = dict.fromkeys(readers, 0), dict.fromkeys(readers, b"")
    with selectors.DefaultSelector() as selector:
        for it in readers:
            selector.register(it, selectors.EVENT_READ, data=it)
        while selector.get_map():
            ready = selector.select(timeout=20)
            assert ready, f"nothing more came after {counts.values()}"
            for key, _ in ready:
                reader: socket.socket = key.data
                data = tails[reader] + reader.recv(262_144)
                counts[reader] += data.count(b'"text":') - tails[reader].count(b'"text":')
                if last in data:
                    selector.unregister(reader)
                tails[reader] = data[-200:]
    return list(counts.values())


def read_to_the_end(it: socket.socket) -> bytes:
    it.settimeout(20)
    received = b""
    while data := it.recv(262_144):
        received = received[-1_000:] + data
    return received


@contextmanager
def open_streams(
    server: StreamServer,
    token: str,
    count: int,
    receive_buffer: int | None = None,
    asked: str = "percent=100",
) -> Iterator[list[socket.socket]]:
    request = (
        f"GET /1.1/statuses/sample.json?{asked} HTTP/1.1\r\nHost: localhost\r\n"
        f"Authorization: Bearer {token}\r\n\r\n"
    )
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for it in sockets:
            if receive_buffer:
                it.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
            it.connect(("127.0.0.1", server.port))
            it.sendall(request.encode())
        for it in sockets:
            assert it.recv(4_096).startswith(b"HTTP/1.1 200")
        yield sockets


def memory(server: StreamServer) -> int:
    master = psutil.Process(server.process.pid)
    return sum(worker.memory_info().rss for worker in master.children())
