"""One client and its bounded buffer, without a network."""

import asyncio
import json
import time
from collections.abc import MutableMapping
from typing import Any

import pytest

from streaming.asked.listener import Listener
from streaming.asked.matching import Filter
from streaming.engine import writer
from streaming.engine.hub import Hub
from streaming.engine.notices import Goodbye
from streaming.engine.open_stream import OpenStream
from streaming.event import StreamEvent
from streaming.formats import Delimited, Dialect, Lines, ServerSent
from streaming.server import chores
from tests.streaming.publishing import stored

Message = MutableMapping[str, Any]


def open_stream(dialect: Dialect | None = None, **options: Any) -> OpenStream:
    listener = Listener(user_id=1, token_id=1)
    wanted = Filter(percent=100)
    return OpenStream(
        dialect or Lines(), wanted, listener=listener, stream_name="sample", **options
    )


def post(position: int, text: str = "hello") -> StreamEvent:
    body = stored(position, author_id=1, text=text).fields()
    return StreamEvent(position, position - 1, "post", json.dumps(body))


def deletion(position: int) -> StreamEvent:
    return StreamEvent(position, position - 1, "delete", json.dumps({"id": 1, "author": 1}))


def waiting(it: OpenStream) -> list[dict[str, Any]]:
    """The messages in the buffer, taken out."""
    lines = b""
    while it.writer.buffer:
        lines += it.writer.buffer.take()
    return [json.loads(line) for line in lines.split(b"\r\n") if line.startswith(b"{")]


@pytest.mark.parametrize("dialect", [Lines(), Delimited(), ServerSent("en")])
@pytest.mark.parametrize("kind", ["post", "delete"])
def test_an_event_is_framed_once_however_many_get_it(dialect: Dialect, kind: str) -> None:
    event = post(1) if kind == "post" else deletion(1)
    many = [open_stream(dialect) for _ in range(3)]
    for it in many:
        it.offer(event)
    first, *others = (it.writer.buffer.take() for it in many)
    assert first
    assert all(other is first for other in others), "not only equal: the same bytes"


def test_an_event_that_comes_twice_is_taken_once() -> None:
    it = open_stream()
    for position in (5, 5, 4, 6):
        it.offer(post(position))
    assert [message["id"] for message in waiting(it)] == [5, 6]


@pytest.mark.parametrize(
    ("limit", "amount"), [("MAX_MESSAGES", 10), ("MAX_BYTES", 10 * len(Lines().event(post(1))))]
)
def test_one_that_does_not_read_is_warned_once_and_then_cut_off(
    monkeypatch: pytest.MonkeyPatch, limit: str, amount: int
) -> None:
    monkeypatch.setattr(writer, limit, amount)
    it = open_stream(stall_warnings=True)
    for position in range(1, 7):
        it.offer(post(position))
    warning, *_ = waiting(it)
    assert warning["warning"]["code"] == "FALLING_BEHIND"
    assert warning["warning"]["percent_full"] == 60
    for position in range(7, 30):
        it.offer(post(position))
    assert [message["disconnect"]["code"] for message in waiting(it)] == [4]
    assert it.closed


def test_a_warning_goes_in_front_and_outlives_what_is_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(writer, "MAX_MESSAGES", 10)
    it = open_stream(stall_warnings=True)
    for position in range(1, 30):
        it.offer(post(position))
    assert [next(iter(message)) for message in waiting(it)] == ["warning", "disconnect"]


def test_without_asking_nobody_is_warned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "MAX_MESSAGES", 10)
    it = open_stream()
    for position in range(1, 9):
        it.offer(post(position))
    assert [message["id"] for message in waiting(it)] == list(range(1, 9))


def test_several_messages_go_out_in_one_write_but_not_too_many() -> None:
    it = open_stream()
    for position in range(1, 101):
        it.offer(post(position, "x" * 2_000))
    writes = []
    while it.writer.buffer:
        writes.append(it.writer.buffer.take())
    assert 3 <= len(writes) <= 6
    assert max(map(len, writes)) <= writer.WRITE_BYTES
    assert it.writer.buffer.bytes == 0


def test_what_exceeds_the_rate_is_withheld_and_told() -> None:
    it = open_stream(statuses_per_second=3)
    for position in range(1, 11):
        it.offer(post(position))
    it.offer(deletion(11))
    it.report_withheld()
    it.report_withheld()
    *statuses, deleted, limit = waiting(it)
    assert [status["id"] for status in statuses] == [1, 2, 3]
    assert "delete" in deleted
    assert limit == {"limit": {"track": 7}}


def test_the_second_goodbye_comes_too_late() -> None:
    it = open_stream()
    it.close(Goodbye.SHUTDOWN, "one")
    it.close(Goodbye.STALL, "two")
    it.offer(post(1))
    (goodbye,) = waiting(it)
    assert goodbye == {"disconnect": {"code": 1, "stream_name": "sample", "reason": "one"}}


@pytest.mark.parametrize(
    ("dialect", "seconds", "sign"),
    [
        (Lines(), 30, b"\r\n"),
        (Delimited(), 30, b"\r\n"),
        (ServerSent("en"), 15, b":thump\nid: 7\n\n"),
    ],
    ids=["lines", "delimited", "server-sent"],
)
def test_a_sign_of_life_comes_in_time(dialect: Dialect, seconds: int, sign: bytes) -> None:
    hub, it = Hub(), open_stream(dialect)
    hub.join(it)
    hub.position = 7
    hub.go_live(it, after=7)
    due = it.writer.next_keep_alive
    chores.check_streams(hub, due - 0.1)
    assert not it.writer.buffer
    for now in (due, due + 1):
        chores.check_streams(hub, now)
    assert it.writer.buffer.take() == sign
    assert not it.writer.buffer
    assert it.writer.next_keep_alive == due + seconds


def test_a_client_that_never_reads_is_let_go_after_its_goodbye(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("streaming.engine.writer.PARTING_SECONDS", 0.05)

    async def never(_message: Message) -> None:
        await asyncio.Event().wait()

    async def scenario() -> None:
        it = open_stream()
        writing = asyncio.create_task(it.writer.write_to(never))
        it.offer(post(1))
        await asyncio.sleep(0)
        it.close(Goodbye.SHUTDOWN, "bye")
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(asyncio.shield(writing), 5)

    asyncio.run(scenario())


@pytest.mark.parametrize("wants_warning", [True, False])
def test_one_that_stops_reading_is_told_however_little_waits_for_it(wants_warning: bool) -> None:
    async def scenario() -> None:
        it = open_stream(stall_warnings=wants_warning)
        reads, written = asyncio.Event(), list[bytes]()

        async def send(message: Message) -> None:
            written.append(message["body"])
            await reads.wait()

        hub = Hub()
        hub.join(it)
        writing = asyncio.create_task(it.writer.write_to(send))
        it.offer(post(1))
        it.offer(post(2))
        await asyncio.sleep(0)
        now = time.monotonic()
        for later in (16, 29):
            chores.check_streams(hub, now + later)
        was_closed = it.closed
        it.offer(post(3))
        for later in (31, 32):
            chores.check_streams(hub, now + later)
        assert (was_closed, it.closed) == (False, True)
        reads.set()
        await asyncio.wait_for(writing, 5)
        _, *warnings, goodbye, end = written
        codes = [json.loads(it)["warning"]["code"] for it in warnings]
        assert codes == (["FALLING_BEHIND"] if wants_warning else [])
        assert json.loads(goodbye)["disconnect"]["code"] == 4
        assert end == b""

    asyncio.run(scenario())
