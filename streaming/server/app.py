"""The ASGI application behind `STREAM_PORT`: no Django middleware, one function for each path."""

import asyncio
import json
import logging
import time
import traceback
from collections.abc import Collection
from typing import Any

from redistools.outages.errors import STORE_ERRORS
from web.health import check_stores, is_healthy
from web.refusals import Refusal, unavailable

from ..asked import live_pages
from ..asked.refusal import Headers, failed, headers_of, not_found, shown
from ..engine.hub import Hub
from ..engine.subscription import keep_subscribed
from ..engine.threads import in_thread
from ..engine.writer import Send
from . import endpoints
from .chores import do_chores
from .live_pages import live_page_stream
from .origins import check_host, cors_headers
from .request import Message, Receive, Request

PUBLIC_PATHS = {
    f"{version}/statuses/{name}.json": name
    for version in ("/1.1", "")
    for name in endpoints.PUBLIC_STREAMS
}

CANCEL_AGAIN_SECONDS = 0.1
# Without Redis we start all the same, and say so to those who ask.
SUBSCRIBE_SECONDS = 3.0

logger = logging.getLogger(__name__)


class Application:
    def __init__(self) -> None:
        self.hub = Hub()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._answer(Request(scope, receive), send)

    def stop(self) -> None:
        """Called on SIGTERM: the server waits for open streams before it shuts us down."""
        self.hub.stop()

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        work = [
            asyncio.create_task(keep_subscribed(self.hub)),
            asyncio.create_task(do_chores(self.hub)),
        ]
        await self._wait_for_subscription()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        self.stop()
        await end(work)
        await send({"type": "lifespan.shutdown.complete"})

    async def _wait_for_subscription(self) -> None:
        """Clients wait for a process that has a subscription; without one, streams are refused."""
        deadline = time.monotonic() + SUBSCRIBE_SECONDS
        while not self.hub.is_subscribed and time.monotonic() < deadline:
            await asyncio.sleep(0.01)

    async def _answer(self, request: Request, send: Send) -> None:
        sending = Sending(send, request.method)
        try:
            await self._route(request, sending)
        except Exception as error:
            # An answer that has begun can't be taken back: the server closes it.
            refusal = _refusal_for(error, request)
            if not sending.has_begun:
                await refuse(request, refusal, sending)

    async def _route(self, request: Request, send: Send) -> None:
        check_host(request)
        if request.path == "/healthz":
            await self._healthz(send)
        elif request.method == "OPTIONS":
            await answer(send, 204, None, cors_headers(request))
        elif request.path in PUBLIC_PATHS:
            await endpoints.public_stream(self.hub, PUBLIC_PATHS[request.path], request, send)
        elif request.path == "/streaming/home":
            await endpoints.home_stream(self.hub, request, send)
        elif request.path == "/streaming/search":
            await endpoints.search_stream(self.hub, request, send)
        elif page := live_pages.page_at(request.path):
            await live_page_stream(self.hub, page, request, send)
        else:
            raise not_found(request.path)

    async def _healthz(self, send: Send) -> None:
        stores = await in_thread(check_stores)
        stores["subscription"] = "ok" if self.hub.is_subscribed else "is being made"
        healthy = is_healthy(stores) and not self.hub.is_stopping
        body = {"status": "ok" if healthy else "unavailable", **stores}
        await answer(send, 200 if healthy else 503, body)


async def end(tasks: Collection["asyncio.Task[None]"]) -> None:
    """Cancels them until they have ended.

    Once may not do: redis-py sends within `asyncio.wait_for`, which in Python 3.11 swallows a
    cancellation that comes when all is sent.
    """
    while running := [task for task in tasks if not task.done()]:
        for task in running:
            task.cancel()
        await asyncio.wait(running, timeout=CANCEL_AGAIN_SECONDS)


class Sending:
    HEADERS = ((b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff"))

    def __init__(self, send: Send, method: str) -> None:
        self._send = send
        self._is_head = method == "HEAD"
        self.has_begun = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.has_begun = True
            message["headers"] = [*message["headers"], *self.HEADERS]
        elif self._is_head:
            message["body"] = b""
        await self._send(message)


def _refusal_for(error: Exception, request: Request) -> Refusal:
    if isinstance(error, Refusal):
        return error
    if isinstance(error, STORE_ERRORS):
        logger.warning("A store does not answer: %s", error)
        return unavailable("A store does not answer: try again soon")
    place = traceback.extract_tb(error.__traceback__)[-1]
    what = f"{type(error).__name__} in {place.filename}:{place.lineno}: {shown(str(error))}"
    logger.error("%s %s failed: %s", request.method, shown(request.path), what)
    return failed()


async def refuse(request: Request, refusal: Refusal, send: Send) -> None:
    headers = [*headers_of(refusal), *cors_headers(request)]
    await answer(send, refusal.status, refusal.as_json, headers)
    await request.pass_over_body()


async def answer(
    send: Send, status: int, body: dict[str, Any] | None, headers: Headers | None = None
) -> None:
    content = json.dumps(body, ensure_ascii=False).encode() if body else b""
    start: Headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(content)).encode()),
        *(headers or []),
    ]
    await send({"type": "http.response.start", "status": status, "headers": start})
    await send({"type": "http.response.body", "body": content})


application = Application()
