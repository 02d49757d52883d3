"""Streams of pages whose parts change: every few seconds, what is different now."""

import asyncio
import logging
import time
from collections.abc import Mapping
from urllib.parse import urlencode

from redistools.outages.errors import STORE_ERRORS

from ..asked.listener import Listener
from ..asked.live_pages import LivePage
from ..asked.matching import Filter
from ..asked.refusal import forbidden, wrong_method
from ..engine.hub import Hub
from ..engine.notices import Goodbye
from ..engine.open_stream import OpenStream
from ..engine.threads import in_thread
from ..engine.writer import Send
from ..formats import ServerSent
from . import sessions
from .admission import admit_session
from .connection import joined, send_stream
from .endpoints import language_of
from .origins import cors_headers
from .request import Request

Parts = Mapping[str, str]

logger = logging.getLogger(__name__)


async def live_page_stream(hub: Hub, page: LivePage, request: Request, send: Send) -> None:
    if request.method != "GET":
        raise wrong_method("GET")
    listener = await in_thread(admit_session, request)
    if not await in_thread(may_read, page, listener):
        raise forbidden("You may not read this page")
    dialect = ServerSent(language_of(listener, request))
    stream = OpenStream(dialect, Filter(), listener=listener, stream_name="page")
    asked = urlencode(request.address_parameters)
    async with joined(hub, stream):
        telling = asyncio.create_task(keep_telling(stream, page, asked))
        try:
            await send_stream(hub, stream, send, after=None, headers=cors_headers(request))
        finally:
            telling.cancel()


def may_read(page: LivePage, listener: Listener) -> bool:
    """By the page's own rule, in the session as it is now."""
    return page.may_read(sessions.request_of(listener))


async def keep_telling(stream: OpenStream, page: LivePage, asked: str) -> None:
    """Asks each time whether the reader still may. A store that is away is waited for."""
    told: dict[str, str] = {}
    while not stream.closed:
        try:
            if not await in_thread(may_read, page, stream.listener):
                stream.close(Goodbye.TOKEN_REVOKED, "You may no longer read this page.")
                return
            parts = await shared.parts(page, asked, stream.dialect.name)
            changed = {name: html for name, html in parts.items() if told.get(name) != html}
            told |= changed
            stream.writer.put(stream.dialect.notice({"parts": changed}))
        except STORE_ERRORS as error:
            logger.warning("A live page waits: %s", error)
        except Exception:
            logger.exception("A live page failed")
            stream.close(Goodbye.ERROR, "The page could not be made: connect again.")
        await asyncio.sleep(page.seconds)


class Shared:
    """Makes parts once for all who look at the same page at the same time."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, str, str], tuple[float, asyncio.Task[Parts]]] = {}

    async def parts(self, page: LivePage, asked: str, language: str) -> Parts:
        key, now = (page.path, asked, language), time.monotonic()
        fresh = {it: made for it, made in self._made.items() if now - made[0] < 0.9 * page.seconds}
        if key not in fresh:
            fresh[key] = now, asyncio.create_task(in_thread(page.parts, asked, language))
        self._made = fresh
        return await asyncio.shield(fresh[key][1])


shared = Shared()
