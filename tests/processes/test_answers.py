"""Answers that nobody reads, or that are read slowly: no thread waits for them."""

import socket
from contextlib import ExitStack

import httpx
import psutil
import pytest

from tests.processes.small_server import GET, THREADS, Server, body_of, everything, one_answer
from tests.processes.small_wsgi import MANY_BYTES
from tests.running_site import wait_for

MEGABYTE = 1024 * 1024


def unread(server: Server, stack: ExitStack, path: bytes) -> socket.socket:
    """A client that has its answer coming, and takes its time."""
    connection = server.connect(stack)
    connection.sendall(GET % path)
    # It has begun: the request is not waiting for a thread.
    assert connection.recv(4) == b"HTTP"
    return connection


def read_all(connection: socket.socket) -> None:
    """The rest of an answer that has begun."""
    received = b""
    while b"\r\n\r\n" not in received:
        received += connection.recv(1000)
    left = MANY_BYTES - len(body_of(received))
    while left:
        some = len(connection.recv(min(left, MEGABYTE)))
        assert some
        left -= some


def memory(server: Server) -> int:
    worker: int = psutil.Process(server.process.pid).children()[0].memory_info().rss
    return worker


@pytest.mark.parametrize("path", [b"/big", b"/file"], ids=["bytes", "file"])
def test_an_answer_that_nobody_reads_holds_no_thread(patient_server: Server, path: bytes) -> None:
    with ExitStack() as stack:
        for _ in range(2 * THREADS):
            unread(patient_server, stack, path)
        assert httpx.get(patient_server.url, timeout=20).text == "0 bytes"


def test_streams_that_nobody_reads_leave_a_thread_to_the_others(patient_server: Server) -> None:
    with ExitStack() as stack:
        for _ in range(3 * THREADS):
            patient_server.connect(stack).sendall(GET % b"/stream")
        assert httpx.get(patient_server.url, timeout=20).text == "0 bytes"


@pytest.mark.parametrize("path", [b"/big", b"/file", b"/stream"], ids=["bytes", "file", "stream"])
def test_a_slow_reader_gets_everything(patient_server: Server, path: bytes) -> None:
    with ExitStack() as stack:
        connection = patient_server.connect(stack)
        last = GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
        connection.sendall(last % path)
        assert httpx.get(patient_server.url, timeout=20).text == "0 bytes"
        body = body_of(everything(connection))
        assert body.count(b"x") == MANY_BYTES


def test_one_who_reads_again_and_again_is_not_given_up(server: Server) -> None:
    """It takes longer than the server waits for a reader who takes nothing."""
    with ExitStack() as stack:
        slow, idle = unread(server, stack, b"/big"), unread(server, stack, b"/big")
        worker = psutil.Process(server.process.pid).children()[0]
        received = 4

        def read_until_the_other_is_cut_off() -> bool:
            nonlocal received
            received += len(slow.recv(MEGABYTE // 4))
            return not _is_open(worker, idle)

        wait_for(read_until_the_other_is_cut_off, what="the other to be cut off")
        while received < MANY_BYTES:
            some = len(slow.recv(MEGABYTE))
            assert some
            received += some


def test_requests_sent_ahead_are_answered_in_their_order(patient_server: Server) -> None:
    with ExitStack() as stack:
        connection = patient_server.connect(stack)
        connection.sendall(GET % b"/big" + GET % b"/file" + GET % b"/unread")
        connection.sendall(GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n") % b"/")
        answers = everything(connection).split(b"HTTP/1.1 200 OK\r\n")[1:]
        assert [len(body_of(answer)) for answer in answers[:2]] == [MANY_BYTES, MANY_BYTES]
        assert [body_of(answer) for answer in answers[2:]] == [b"not read", b"0 bytes"]


def test_a_connection_is_kept_after_an_answer_that_was_read_late(patient_server: Server) -> None:
    with ExitStack() as stack:
        connection = unread(patient_server, stack, b"/big")
        read_all(connection)
        connection.sendall(GET % b"/")
        assert one_answer(connection).endswith(b"0 bytes")


def test_one_who_reads_nothing_is_cut_off(server: Server) -> None:
    with ExitStack() as stack:
        connection = unread(server, stack, b"/big")
        worker = psutil.Process(server.process.pid).children()[0]
        wait_for(lambda: not _is_open(worker, connection), what="the server to hang up")
        assert len(everything(connection)) < MANY_BYTES


def _is_open(worker: psutil.Process, connection: socket.socket) -> bool:
    ours = connection.getsockname()[1]
    return any(ours in it.raddr for it in worker.net_connections("tcp"))


def test_what_nobody_reads_is_bounded(patient_server: Server) -> None:
    """Of more than 64 MB, those who have waited longest are cut off."""
    with ExitStack() as stack:
        before = memory(patient_server)
        connections = [unread(patient_server, stack, b"/big") for _ in range(8)]
        assert memory(patient_server) - before < 4 * MANY_BYTES
        assert len(everything(connections[0])) < MANY_BYTES
        read_all(connections[-1])


def test_large_files_that_nobody_reads_are_few(patient_server: Server) -> None:
    with ExitStack() as stack:
        connections = [unread(patient_server, stack, b"/file") for _ in range(5)]
        assert len(everything(connections[0])) < MANY_BYTES
        assert httpx.get(f"{patient_server.url}/file", timeout=30).content == b"x" * MANY_BYTES
