"""The ASGI application behind `STREAM_PORT`: no Django middleware, one small function a path."""

import asyncio
import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from socialsite.health import check_stores, is_healthy

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


async def application(scope: Message, receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        await lifespan(receive, send)
    elif scope["path"] == "/healthz":
        await healthz(send)
    else:
        await answer(send, 404, {"error": f"There is no stream at {scope['path']}"})


async def lifespan(receive: Receive, send: Send) -> None:
    while True:
        event = (await receive())["type"]
        await send({"type": f"{event}.complete"})
        if event == "lifespan.shutdown":
            return


async def healthz(send: Send) -> None:
    stores = await asyncio.to_thread(check_stores)
    healthy = is_healthy(stores)
    body = {"status": "ok" if healthy else "unavailable", **stores}
    await answer(send, 200 if healthy else 503, body)


async def answer(send: Send, status: int, body: dict[str, Any]) -> None:
    content = json.dumps(body).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(content)).encode()),
        (b"cache-control", b"no-store"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})
