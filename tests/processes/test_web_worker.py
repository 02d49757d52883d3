"""The worker class for pages, under a real gunicorn with two threads and a small application."""

import contextlib
import signal
import socket
from contextlib import ExitStack

import httpx
import psutil
import pytest

from tests import patient_http
from tests.processes.small_server import (
    FORM_HEAD,
    GET,
    THREADS,
    UPLOAD,
    UPLOAD_HEAD,
    Server,
    body_of,
    everything,
    one_answer,
    running,
)
from tests.running_site import wait_for
from web.body_limits import LONGEST_BODY, LONGEST_UPLOAD


@pytest.mark.parametrize(
    "first",
    [b"", b"GET / HT", GET[:-2], FORM_HEAD % 100 + b"five!"],
    ids=["nothing", "half a line", "half a head", "half a body"],
)
def test_slow_connections_keep_no_thread_from_the_others(
    patient_server: Server, first: bytes
) -> None:
    with ExitStack() as stack:
        slow = [patient_server.connect(stack) for _ in range(5 * THREADS)]
        for connection in slow:
            connection.sendall(first)
        assert httpx.get(patient_server.url, timeout=20).text == "0 bytes"


def test_connections_that_are_kept_alive_keep_no_thread_from_the_others(
    patient_server: Server,
) -> None:
    with ExitStack() as stack:
        clients = [stack.enter_context(httpx.Client(timeout=20)) for _ in range(5 * THREADS)]
        for _ in range(2):
            assert {client.get(patient_server.url).status_code for client in clients} == {200}


@pytest.mark.parametrize("first", [b"GET / HT", FORM_HEAD % 100 + b"five!"], ids=["head", "body"])
def test_a_request_that_does_not_arrive_in_time_is_answered_408(
    server: Server, first: bytes
) -> None:
    with ExitStack() as stack:
        connection = server.connect(stack)
        connection.sendall(first)
        assert everything(connection).startswith(b"HTTP/1.1 408 Request Timeout\r\n")


def test_one_that_drips_gains_no_time(server: Server) -> None:
    with ExitStack() as stack:
        connection = server.connect(stack)
        connection.sendall(b"GET / HTTP/1.1\r\n")
        connection.settimeout(0.2)
        answer = b""

        def dripped_until_answered() -> bool:
            nonlocal answer
            with contextlib.suppress(OSError):
                connection.sendall(b"X: y\r\n")
            with contextlib.suppress(TimeoutError):
                answer += connection.recv(1000)
            return bool(answer)

        wait_for(dripped_until_answered, what="an answer")
        assert answer.startswith(b"HTTP/1.1 408 ")


def test_a_connection_that_sends_nothing_is_closed_without_a_word(server: Server) -> None:
    with ExitStack() as stack:
        assert everything(server.connect(stack)) == b""


def test_a_request_in_pieces_is_served(server: Server) -> None:
    with ExitStack() as stack:
        connection = server.connect(stack)
        request = b"\r\n" + FORM_HEAD % 5 + b"hello"
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for place in range(0, len(request), 7):
            connection.sendall(request[place : place + 7])
        assert one_answer(connection).endswith(b"5 bytes")


def test_requests_that_were_sent_in_one_go_are_all_served(server: Server) -> None:
    with ExitStack() as stack:
        connection = server.connect(stack)
        connection.sendall(
            (FORM_HEAD % 5 + b"hello") * 3 + GET.replace(b"\r\n\r\n", b"\r\n") % b"/"
        )
        connection.sendall(b"Connection: close\r\n\r\n")
        received = everything(connection)
        assert received.count(b"5 bytes") == 3
        assert received.endswith(b"0 bytes")


def test_a_body_up_to_the_bound_arrives_whole(server: Server) -> None:
    answer = patient_http.post(server.url, content=b"x" * LONGEST_BODY)
    assert answer.text == f"{LONGEST_BODY} bytes"


def test_a_form_with_files_may_be_longer(patient_server: Server) -> None:
    with ExitStack() as stack:
        connection = patient_server.connect(stack)
        connection.sendall(UPLOAD_HEAD % LONGEST_UPLOAD + b"x" * LONGEST_UPLOAD)
        assert one_answer(connection).endswith(b"%d bytes" % LONGEST_UPLOAD)


def test_and_has_more_time(server: Server) -> None:
    with ExitStack() as stack:
        upload, form = server.connect(stack), server.connect(stack)
        upload.sendall(UPLOAD_HEAD % UPLOAD + b"x" * LONGEST_BODY)
        form.sendall(FORM_HEAD % 100)
        assert everything(form).startswith(b"HTTP/1.1 408 ")
        upload.sendall(b"x" * LONGEST_BODY)
        assert one_answer(upload).endswith(b"%d bytes" % UPLOAD)


def test_but_not_for_ever(server: Server) -> None:
    with ExitStack() as stack:
        connection = server.connect(stack)
        connection.sendall(UPLOAD_HEAD % UPLOAD + b"x" * LONGEST_BODY)
        assert everything(connection).startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: %d\r\n" % (LONGEST_BODY + 1),
        b"Content-Type: multipart/form-data\r\nX-Uploader: alice\r\nContent-Length: %d\r\n"
        % (LONGEST_UPLOAD + 1),
        b"Content-Length: 99999999999999999999\r\n",
        b"Transfer-Encoding: chunked\r\n",
    ],
)
def test_a_body_that_is_too_long_or_of_unknown_length_is_not_waited_for(
    server: Server, head: bytes
) -> None:
    with ExitStack() as stack:
        connection = server.connect(stack)
        connection.sendall(b"POST /unread HTTP/1.1\r\nHost: a.example\r\n" + head + b"\r\n")
        answer = everything(connection)
        assert b"Connection: close" in answer
        assert body_of(answer) == b"not read"


def ask_to_go_on(connection: socket.socket) -> None:
    """The main loop answers this by itself, once it has read everything that was sent before."""
    connection.sendall((FORM_HEAD % 5).replace(b"\r\n\r\n", b"\r\nExpect: 100-continue\r\n\r\n"))
    assert connection.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"


def test_a_client_that_asks_first_is_told_to_go_on(server: Server) -> None:
    with ExitStack() as stack:
        connection = server.connect(stack)
        ask_to_go_on(connection)
        connection.sendall(b"hello")
        assert one_answer(connection).endswith(b"5 bytes")


def test_a_head_without_end_is_refused(server: Server) -> None:
    with ExitStack() as stack:
        connection = server.connect(stack)
        with contextlib.suppress(OSError):
            connection.sendall(b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 15_000)
        assert everything(connection).startswith(b"HTTP/1.1 431 ")


def test_what_waits_in_memory_is_bounded(server: Server) -> None:
    """Of too many incomplete large bodies, the oldest is dropped."""
    with ExitStack() as stack:
        connections = [server.connect(stack) for _ in range(5)]
        for connection in connections:
            connection.sendall(FORM_HEAD % LONGEST_BODY + b"x" * (LONGEST_BODY - 1))
        assert everything(connections[0]) == b""
        assert everything(connections[-1]).startswith(b"HTTP/1.1 408 ")


def kept_connection(server: Server, stack: ExitStack) -> socket.socket:
    """One that has had an answer: the server has accepted it, and is patient with it."""
    connection = server.connect(stack)
    connection.sendall(GET % b"/")
    assert b"Connection: keep-alive" in one_answer(connection)
    return connection


def test_a_stop_serves_what_was_sent_and_says_that_it_is_the_last_answer() -> None:
    with running() as server, ExitStack() as stack:
        kept = [kept_connection(server, stack) for _ in range(3 * THREADS)]
        busy = server.connect(stack)
        busy.sendall(GET % b"/until-released")
        worker = psutil.Process(server.process.pid).children()[0]
        server.process.send_signal(signal.SIGTERM)
        wait_for(lambda: not _accepts(server), what="the port to be closed")
        # Clients that don't know yet use the connection they have.
        for connection in kept:
            connection.sendall(GET % b"/")
        worker.send_signal(signal.SIGUSR1)
        answers = [everything(connection) for connection in (*kept, busy)]
        assert all(b"Connection: close" in answer for answer in answers[: len(kept)])
        assert [body_of(answer) for answer in answers] == [b"0 bytes"] * len(answers)
        server.process.wait(timeout=30)


def all_threads_busy(server: Server, stack: ExitStack) -> None:
    witness = server.connect(stack)
    for _ in range(THREADS):
        server.connect(stack).sendall(GET % b"/until-released")
    ask_to_go_on(witness)


def test_who_hangs_up_before_the_answer_was_begun_costs_no_work() -> None:
    with running() as server, ExitStack() as stack:
        all_threads_busy(server, stack)
        with ExitStack() as impatient:
            server.connect(impatient).sendall(GET % b"/gone")
            posted = (FORM_HEAD % 5 + b"hello").replace(b"/", b"/posted", 1)
            server.connect(impatient).sendall(posted)
        ask_to_go_on(server.connect(stack))
        server.process.send_signal(signal.SIGUSR1)
        wait_for(lambda: "/posted" in httpx.get(f"{server.url}/answered", timeout=15).text)
        assert "/gone" not in patient_http.get(f"{server.url}/answered").text


def test_under_load_connections_are_not_kept_so_that_all_workers_share_one_queue() -> None:
    with running() as server, ExitStack() as stack:
        kept = [kept_connection(server, stack) for _ in range(6 * THREADS)]
        witness = kept_connection(server, stack)
        for connection in kept:
            connection.sendall(GET % b"/until-released")
        ask_to_go_on(witness)
        server.process.send_signal(signal.SIGUSR1)
        last = [b"Connection: close" in one_answer(connection) for connection in kept]
        # Those that a thread began while more than four for each were in hand.
        assert sum(last) >= 2 * THREADS


def _accepts(server: Server) -> bool:
    try:
        socket.create_connection(("127.0.0.1", server.port), timeout=1).close()
    except OSError:
        return False
    return True


def test_clients_do_not_say_where_the_site_is(server: Server) -> None:
    """A proxy may pass on headers with an underscore. All links of a page would lead elsewhere."""
    answer = patient_http.get(
        f"{server.url}/place", headers={"SCRIPT_NAME": "/pl", "PATH_INFO": "/x"}
    )
    assert answer.text == "''"
