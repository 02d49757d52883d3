"""Large bodies: for whom the server waits, and how many it holds."""

import socket
from contextlib import ExitStack

import pytest

from tests.processes.small_server import (
    FORM_HEAD,
    UPLOAD,
    UPLOAD_HEAD,
    Server,
    body_of,
    everything,
    one_answer,
)
from tests.running_site import wait_for
from web.body_limits import LONGEST_BODY

VISITORS_HEAD = UPLOAD_HEAD.replace(b"X-Uploader: alice\r\n", b"")


def ask(server: Server, stack: ExitStack, by: bytes) -> socket.socket | None:
    """A connection on which the server expects an upload; None if it does not."""
    connection = server.connect(stack)
    head = UPLOAD_HEAD.replace(b"alice\r\n", by + b"\r\nExpect: 100-continue\r\n")
    connection.sendall(head % UPLOAD)
    return connection if connection.recv(1000).startswith(b"HTTP/1.1 100 ") else None


def begin(server: Server, stack: ExitStack, by: bytes) -> socket.socket:
    """An upload of which the last byte is missing. Earlier ones may still be on their way out."""
    agreed: list[socket.socket] = []

    def is_agreed() -> bool:
        connection = ask(server, stack, by)
        agreed.extend([connection] if connection else [])
        return bool(connection)

    wait_for(is_agreed, what="room for an upload")
    agreed[0].sendall(b"x" * (UPLOAD - 1))
    return agreed[0]


def test_a_visitor_is_refused_before_the_body_is_sent(server: Server) -> None:
    with ExitStack() as stack:
        connection = server.connect(stack)
        expecting = VISITORS_HEAD.replace(b"\r\n\r\n", b"\r\nExpect: 100-continue\r\n\r\n")
        connection.sendall(expecting % UPLOAD)
        answer = everything(connection)
        assert body_of(answer) == b"refused with 413"
        assert b"100 Continue" not in answer
        assert b"Connection: close" in answer


def test_one_too_many_is_told_to_come_back(server: Server) -> None:
    with ExitStack() as stack:
        first = begin(server, stack, b"alice")
        begin(server, stack, b"bob")
        refused = server.connect(stack)
        refused.sendall(UPLOAD_HEAD.replace(b"alice", b"carol") % UPLOAD)
        assert body_of(everything(refused)) == b"refused with 503"
        first.sendall(b"x")
        assert one_answer(first).endswith(b"%d bytes" % UPLOAD)
        begin(server, stack, b"carol")


def test_nobody_takes_all_the_room(patient_server: Server) -> None:
    with ExitStack() as stack:
        for _ in range(2):
            begin(patient_server, stack, b"alice")
        refused = patient_server.connect(stack)
        refused.sendall(UPLOAD_HEAD % UPLOAD)
        assert body_of(everything(refused)) == b"refused with 503"
        bobs = begin(patient_server, stack, b"bob")
        bobs.sendall(b"x")
        assert one_answer(bobs).endswith(b"%d bytes" % UPLOAD)


def test_one_who_hangs_up_makes_room(patient_server: Server) -> None:
    for _ in range(4):
        with ExitStack() as stack:
            begin(patient_server, stack, b"carol")


def test_uploads_leave_room_for_forms(server: Server) -> None:
    with ExitStack() as stack:
        form = server.connect(stack)
        form.sendall(FORM_HEAD % 5)
        for name in (b"alice", b"bob"):
            begin(server, stack, name)
        form.sendall(b"hello")
        assert one_answer(form).endswith(b"5 bytes")


@pytest.mark.parametrize("extra", [0, 1])
def test_nobody_is_asked_about_forms_of_the_usual_size(server: Server, extra: int) -> None:
    with ExitStack() as stack:
        connection = server.connect(stack)
        size = LONGEST_BODY + extra
        connection.sendall(VISITORS_HEAD % size + b"x" * size * (not extra))
        told = b"refused with 413" if extra else b"%d bytes" % size
        assert told in connection.recv(1000)
