"""What becomes of an answer that fails, without a network."""

import asyncio
import json
import logging
from typing import Any

import pytest

from streaming.engine.writer import Send
from streaming.server.app import Application

SCOPE = {
    "type": "http",
    "method": "GET",
    "path": "/streaming/home",
    "query_string": b"",
    "headers": [(b"host", b"localhost")],
}


def answered() -> list[dict[str, Any]]:
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(Application()(SCOPE, receive, send))
    return sent


def test_a_defect_is_a_500_and_one_line(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(*_: object) -> None:
        raise ValueError("first line\nsecond line" * 1_000)

    monkeypatch.setattr("streaming.server.endpoints.home_stream", fail)
    start, body = answered()
    assert start["status"] == 500
    assert json.loads(body["body"])["error"].startswith("Something went wrong")
    (record,) = caplog.records
    assert record.levelno == logging.ERROR
    assert record.exc_info is None
    assert "ValueError in" in record.message
    assert "\n" not in record.message
    assert len(record.message) < 500


def test_a_stream_that_fails_is_left_as_it_is(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def begin_and_fail(_hub: object, _request: object, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise ValueError("in the middle")

    monkeypatch.setattr("streaming.server.endpoints.home_stream", begin_and_fail)
    assert [message["type"] for message in answered()] == ["http.response.start"]
    assert len(caplog.records) == 1


def test_a_shutdown_ends_work_that_swallows_a_cancellation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As `asyncio.wait_for` of Python 3.11 may do, in the middle of redis-py."""
    cancellations, sent = 0, []

    async def swallow(_hub: object) -> None:
        nonlocal cancellations
        while cancellations < 2:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                cancellations += 1

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(0)
        return {}

    async def send(message: Any) -> None:
        sent.append(message["type"])

    monkeypatch.setattr("streaming.server.app.keep_subscribed", swallow)
    monkeypatch.setattr("streaming.server.app.do_chores", lambda _hub: asyncio.sleep(60))
    asyncio.run(asyncio.wait_for(Application()({"type": "lifespan"}, receive, send), 5))
    assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
    assert cancellations == 2
