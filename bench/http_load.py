"""A client that costs less than the server: ready-made bytes over connections that stay open.

One process for each connection; each sends its next request after the answer.
"""

import multiprocessing
import socket
import time
from collections.abc import Sequence
from itertools import cycle
from typing import NamedTuple

# Many for each of the site's processes: with few, one of them might be idle by chance.
CONNECTIONS = 16


class Load(NamedTuple):
    """Requests a second over all connections, and how long each request took."""

    rate: float
    seconds: list[float]


def load(port: int, requests: Sequence[Sequence[bytes]], *, seconds: float) -> Load:
    """A connection for each sequence of requests, which it sends over and over."""
    context = multiprocessing.get_context("fork")
    with context.Pool(len(requests)) as pool:
        arguments = [(port, some, seconds) for some in requests]
        taken = [each for some in pool.starmap(_ask_again_and_again, arguments) for each in some]
    return Load(len(taken) / seconds, taken)


def get(path: str, *, port: int, cookies: str) -> bytes:
    return _request(f"GET {path}", port, cookies, b"")


def post(path: str, form: bytes, *, port: int, cookies: str) -> bytes:
    return _request(f"POST {path}", port, cookies, form)


def _request(line: str, port: int, cookies: str, form: bytes) -> bytes:
    head = [f"{line} HTTP/1.1", f"Host: 127.0.0.1:{port}"]
    head += [f"Cookie: {cookies}"] if cookies else []
    head += ["Accept: text/html", "Accept-Encoding: gzip, deflate"]
    if form:
        head += ["Content-Type: application/x-www-form-urlencoded", f"Content-Length: {len(form)}"]
    return "\r\n".join([*head, "", ""]).encode() + form


def _ask_again_and_again(port: int, requests: Sequence[bytes], seconds: float) -> list[float]:
    taken, deadline = [], time.perf_counter() + seconds
    connection = _connect(port)
    for request in cycle(requests):
        if (began := time.perf_counter()) >= deadline:
            break
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
    """The server answered and hung up: under load, a site makes all connections queue up again."""


def read_answer(connection: socket.socket) -> bytes:
    """The body. Anything but a page, or the redirect after a form, is an error."""
    received = b""
    while b"\r\n\r\n" not in received:
        received += _receive(connection)
    head, _, body = received.partition(b"\r\n\r\n")
    if not head.startswith((b"HTTP/1.1 200", b"HTTP/1.1 302")):
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
