"""A client that costs less than the server: ready-made bytes over connections that stay open.

One process for each connection; each sends its next request when the answer has come.
"""

import multiprocessing
import socket
import time
from typing import NamedTuple

# Many for each of the site's processes: with a few, chance leaves one of them without work.
CONNECTIONS = 16


class Load(NamedTuple):
    """Requests a second over all connections, and how long each request took."""

    rate: float
    seconds: list[float]


def load(port: int, *, cookies: str, seconds: float) -> Load:
    head = ["GET / HTTP/1.1", f"Host: 127.0.0.1:{port}", f"Cookie: {cookies}", "Accept: text/html"]
    request = "\r\n".join([*head, "", ""]).encode()
    context = multiprocessing.get_context("fork")
    with context.Pool(CONNECTIONS) as pool:
        arguments = [(port, request, seconds)] * CONNECTIONS
        taken = [each for some in pool.starmap(_ask_again_and_again, arguments) for each in some]
    return Load(len(taken) / seconds, taken)


def _ask_again_and_again(port: int, request: bytes, seconds: float) -> list[float]:
    taken, deadline = [], time.perf_counter() + seconds
    connection = _connect(port)
    while (began := time.perf_counter()) < deadline:
        try:
            connection.sendall(request)
            read_answer(connection)
        except LastAnswer:
            connection.close()
            connection = _connect(port)
        taken.append(time.perf_counter() - began)
    connection.close()
    return taken


def _connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=30)


class LastAnswer(Exception):  # noqa: N818 - it is an answer
    """The server answered and hangs up: a site under load lets all connections queue up again."""


def read_answer(connection: socket.socket) -> bytes:
    """The body. Anything but a 200 is an error."""
    received = b""
    while b"\r\n\r\n" not in received:
        received += _receive(connection)
    head, _, body = received.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(f"not the page: {head[:200]!r}")
    length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
    while len(body) < length:
        body += _receive(connection)
    if b"connection: close" in head.lower():
        raise LastAnswer
    return body


def _receive(connection: socket.socket) -> bytes:
    some = connection.recv(1 << 16)
    if not some:
        raise ConnectionError("the server hung up in the middle of an answer")
    return some
