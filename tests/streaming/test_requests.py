"""Requests that come late, long or under a wrong name: raw sockets to a real process."""

import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from access.tokens import create_token
from tests import patient_http
from tests.streaming.server import StreamServer
from users.models import User

FILTER = "/1.1/statuses/filter.json"
SAMPLE = "/1.1/statuses/sample.json"
FORM = "application/x-www-form-urlencoded"

Connect = Callable[[bytes], socket.socket]


@pytest.fixture
def connect(server: StreamServer) -> Iterator[Connect]:
    """A connection over which these bytes were sent."""
    with ExitStack() as stack:

        def send(data: bytes) -> socket.socket:
            it = stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            it.settimeout(20)
            it.sendall(data)
            return it

        yield send


def head(token: str | None = None, **headers: Any) -> bytes:
    lines = [f"POST {FILTER} HTTP/1.1", "Host: localhost", f"Content-Type: {FORM}"]
    lines += [f"Authorization: Bearer {token}"] if token else []
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode()


def answer_on(it: socket.socket) -> tuple[int, str]:
    """Its status and error. Read to the last byte it announces, not to the end."""
    received = b""
    while not received.endswith(b"}"):
        data = it.recv(65_536)
        assert data, received
        received += data
    top, _, body = received.partition(b"\r\n\r\n")
    return int(top.split()[1]), json.loads(body)["error"]


@pytest.mark.parametrize("token", [None, "nonsense"])
def test_a_large_form_of_a_stranger_is_not_waited_for(
    connect: Connect, db: None, token: str | None
) -> None:
    """Nothing of the form is ever sent: the answer can't have needed it."""
    status, _ = answer_on(connect(head(token, Content_Length=1_000_000)))
    assert status == 401


def test_a_form_that_is_too_large_is_refused_before_it_comes(connect: Connect, token: str) -> None:
    answer = answer_on(connect(head(token, Content_Length=256_001)))
    assert answer == (413, "The form has more than 256000 bytes")


def test_a_length_without_end_is_refused(connect: Connect, db: None) -> None:
    answer = answer_on(connect(head(Content_Length="9" * 5_000)))
    assert answer == (400, "The headers can't be read")


def test_a_chunked_form_is_refused_where_it_grows_too_large(connect: Connect, token: str) -> None:
    it = connect(head(token, Transfer_Encoding="chunked"))
    it.sendall(b"3e801\r\ntrack=" + b"x" * (0x3E801 - 6) + b"\r\n")
    assert answer_on(it) == (413, "The form has more than 256000 bytes")


def test_a_refusal_reaches_those_who_send_a_large_form(server: StreamServer, db: None) -> None:
    for _ in range(3):
        answer = patient_http.post(server.url + FILTER, data={"track": "x" * 1_000_000})
        assert answer.status_code == 401


@pytest.mark.parametrize("kind", [FORM, FORM.upper(), f"{FORM.title()}; charset=UTF-8"])
def test_a_token_may_come_in_a_small_form(server: StreamServer, token: str, kind: str) -> None:
    form = f"access_token={token}&track=django"
    headers = {"Content-Type": kind}
    with patient_http.stream("POST", server.url + FILTER, content=form, headers=headers) as answer:
        assert answer.status_code == 200


@pytest.mark.long
def test_what_stalls_is_ended_after_ten_seconds(connect: Connect, token: str) -> None:
    began = time.monotonic()
    stalled = {
        "The request did not arrive within 10 s": [b"", b"GET / HTTP/1.1\r\nHost: loc"],
        "The form did not arrive within 10 s": [
            head(token, Content_Length=100) + b"track=",
            head(None, Content_Length=100) + b"track=",
        ],
    }
    waiting = [(said, connect(sent)) for said, all_sent in stalled.items() for sent in all_sent]
    for said, it in waiting:
        assert answer_on(it) == (408, said)
        assert it.recv(1) == b""
    assert 9 < time.monotonic() - began < 30


def test_a_long_address_is_414(server: StreamServer, token: str) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    asked = {"track": ",".join(["word"] * 1_000)}
    with patient_http.stream("GET", server.url + FILTER, params=asked, headers=headers) as taken:
        assert taken.status_code == 413  # not too long, but too many phrases
    answer = patient_http.get(server.url + FILTER, params={"track": "x" * 9_000}, headers=headers)
    assert answer.status_code == 414
    assert "by POST" in answer.json()["error"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("host", ["example.org", "", "localhost.example.org:80"])
def test_streams_are_found_under_our_own_hosts_only(
    server: StreamServer, token: str, host: str
) -> None:
    for path in (SAMPLE, "/streaming/home", "/healthz", "/"):
        answer = patient_http.get(server.url + path, headers={"Host": host})
        assert answer.status_code == 400
        assert answer.json()["error"] == f"{host!r} is not a host of this site"


def test_no_answer_is_kept_or_guessed_at(server: StreamServer, token: str) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    for path in (SAMPLE, "/streaming/home", "/healthz", "/nowhere"):
        with patient_http.stream("GET", server.url + path, headers=headers) as answer:
            assert answer.headers["Cache-Control"] == "no-store"
            assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_a_head_has_no_body(server: StreamServer) -> None:
    answer = patient_http.head(f"{server.url}/healthz")
    assert (answer.status_code, answer.content) == (200, b"")


def test_numbers_without_end_are_refused(server: StreamServer, carol: User) -> None:
    _, token = create_token(user=carol, name="bot")
    headers = {"Authorization": f"Bearer {token}"}
    digits = "9" * 5_000
    for asked, status in [({"follow": digits}, 406), ({"track": "x", "since_id": digits}, 416)]:
        answer = patient_http.post(server.url + FILTER, data=asked, headers=headers)
        assert answer.status_code == status
        assert len(answer.json()["error"]) < 200


def test_twitters_count_is_ignored(server: StreamServer, token: str) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    for count in ("-150000", "100", "many"):
        asked = {"count": count, "track": "django"}
        with patient_http.stream(
            "POST", server.url + FILTER, data=asked, headers=headers
        ) as answer:
            assert answer.status_code == 200
