"""The streams, and what is in them."""

from collections.abc import Callable
from dataclasses import replace

from django.conf import settings

from relations import store as edges
from tags import store as tag_follows
from web.languages import chosen_language

from ..asked import parameters
from ..asked.listener import Listener
from ..asked.matching import Filter
from ..asked.refusal import wrong_method
from ..asked.searches import read_search
from ..engine.hub import Hub
from ..engine.open_stream import OpenStream
from ..engine.threads import in_thread
from ..engine.visible import look_again
from ..engine.writer import Send
from ..formats import Delimited, Lines, ServerSent
from .admission import admit, admit_session, check_scopes
from .connection import joined, send_stream
from .origins import cors_headers
from .positions import position_after_event, position_after_status
from .request import Request

PUBLIC_STREAMS: dict[str, Callable[[parameters.Parameters], Filter]] = {
    "sample": parameters.read_sample,
    "filter": parameters.read_filter,
    "firehose": parameters.read_firehose,
}


async def public_stream(hub: Hub, name: str, request: Request, send: Send) -> None:
    if request.method not in ("GET", "POST"):
        raise wrong_method("GET or POST")
    listener, given = await admit(request)
    check_scopes(listener, name)
    wishes = parameters.read_wishes(given)
    wanted = await in_thread(PUBLIC_STREAMS[name], given)
    after = None
    if wishes.since_id is not None:
        after = await position_after_status(wishes.since_id)
    stream = OpenStream(
        Delimited() if wishes.is_delimited else Lines(),
        wanted,
        listener=listener,
        stream_name=name,
        stall_warnings=wishes.stall_warnings,
        statuses_per_second=0 if name == "firehose" else settings.STREAM_STATUSES_PER_SECOND,
    )
    async with joined(hub, stream):
        await look_again(hub, [stream])
        await send_stream(hub, stream, send, after=after, headers=cors_headers(request))


async def home_stream(hub: Hub, request: Request, send: Send) -> None:
    if request.method != "GET":
        raise wrong_method("GET")
    listener = await in_thread(admit_session, request)
    last_event_id = request.headers.get("last-event-id")
    after = await position_after_event(last_event_id) if last_event_id else None
    dialect = ServerSent(language_of(listener, request))
    stream = OpenStream(
        dialect, Filter(), listener=listener, stream_name="home", home_of=listener.user_id
    )
    async with joined(hub, stream):
        await look_again(hub, [stream])
        await _load_home(stream)
        await send_stream(hub, stream, send, after=after, headers=cors_headers(request))


async def search_stream(hub: Hub, request: Request, send: Send) -> None:
    """New posts that a search finds, as its page shows them; and what is for its reader alone."""
    if request.method != "GET":
        raise wrong_method("GET")
    listener = await in_thread(admit_session, request)
    query = request.address_parameters.get("q", "")
    search = await in_thread(read_search, query, listener.user_id)
    last_event_id = request.headers.get("last-event-id")
    after = await position_after_event(last_event_id) if last_event_id else None
    dialect = ServerSent(language_of(listener, request))
    stream = OpenStream(dialect, Filter(), listener=listener, stream_name="search", search=search)
    async with joined(hub, stream):
        await look_again(hub, [stream])
        await send_stream(hub, stream, send, after=after, headers=cors_headers(request))


def language_of(listener: Listener, request: Request) -> str:
    cookie = request.cookie(settings.LANGUAGE_COOKIE_NAME)
    return chosen_language(listener.language, cookie, request.headers.get("accept-language", ""))


async def _load_home(stream: OpenStream) -> None:
    """Reads the follows and followed tags again if one changed during the read."""
    reader_id = stream.listener.user_id
    while True:
        changes = stream.follows_changed
        followed = await in_thread(edges.following_ids, reader_id)
        tags = await in_thread(tag_follows.followed_names, reader_id)
        if stream.follows_changed == changes:
            break
    authors = frozenset([*followed, reader_id])
    stream.wanted = replace(stream.wanted, authors=authors, tags=frozenset(tags))
