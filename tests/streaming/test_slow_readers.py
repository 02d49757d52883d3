"""Clients that read too slowly are warned before they are cut off, if they want: real sockets."""

import json
import socket
from collections.abc import Callable, Iterator

import pytest

from tests.running_site import wait_for
from tests.streaming.publishing import publish_posts, stored
from tests.streaming.server import StreamServer, stream_server
from tests.streaming.test_backpressure import open_streams, seats_taken

# Twice what the buffers of a client hold, the kernel's included.
STATUSES, AT_ONCE, TEXT = 1_000, 100, "x" * 2_500
PARAMETERS = "percent=100&stall_warnings=true"

# What the client does while statuses come in faster than it reads.
READERS: dict[str, Callable[[socket.socket], bytes]] = {
    "slowly": lambda it: it.recv(8_192),
    "nothing": lambda _: b"",
}


@pytest.fixture
def server(db: None, key_prefix: str) -> Iterator[StreamServer]:
    with stream_server(key_prefix, STREAM_STATUSES_PER_SECOND="0") as server:
        yield server


@pytest.mark.parametrize("reads", READERS)
def test_who_falls_behind_is_warned_and_then_cut_off(
    server: StreamServer, token: str, reads: str
) -> None:
    with open_streams(server, token, 1, receive_buffer=4_096, asked=PARAMETERS) as (it,):
        received = b""
        for start in range(1, STATUSES + 1, AT_ONCE):
            publish_posts(
                [stored(n, author_id=1, text=TEXT) for n in range(start, start + AT_ONCE)]
            )
            received += READERS[reads](it)
        if reads == "nothing":
            wait_for(lambda: seats_taken() == 0, what="the client to be given up")
        assert notices(received + read_to_the_end(it)) == ["warning", "disconnect 4"]


@pytest.mark.long
def test_who_stops_reading_a_quiet_stream_is_warned_and_then_cut_off(
    server: StreamServer, token: str
) -> None:
    """What waits fills the buffers of the kernel, and little of ours."""
    with open_streams(server, token, 1, receive_buffer=4_096, asked=PARAMETERS) as (it,):
        publish_posts([stored(n, author_id=1, text=TEXT) for n in range(1, 200)])
        wait_for(lambda: seats_taken() == 0, seconds=90, what="the client to be given up")
        assert notices(read_to_the_end(it)) == ["warning", "disconnect 4"]


def read_to_the_end(it: socket.socket) -> bytes:
    it.settimeout(60)
    received = b""
    while data := it.recv(8_192):
        received += data
    return received


def notices(received: bytes) -> list[str]:
    """The messages about the stream itself, in order."""
    found = []
    for line in received.split(b"\r\n"):
        if line.startswith((b'{"warning"', b'{"disconnect"')):
            ((name, content),) = json.loads(line).items()
            found.append(f"{name} {content['code']}" if name == "disconnect" else name)
    return found
