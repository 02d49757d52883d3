"""The streams: who may have them, and what is in them."""

from collections.abc import Callable

from django.conf import settings

from access import tokens

from . import home, parameters, resume, seats, sessions
from .client import Client, Send
from .connection import joined, stream
from .dialects import Delimited, Lines, ServerSent
from .hub import Hub
from .matching import Filter
from .origins import cors_headers, is_allowed
from .refusal import forbidden, unauthorized, wrong_method
from .request import Request
from .threads import in_thread
from .visitor import Visitor

MAX_UNKNOWN_FORM_BYTES = 8_192
PUBLIC_STREAMS: dict[str, Callable[[parameters.Parameters], Filter]] = {
    "sample": parameters.read_sample,
    "filter": parameters.read_filter,
    "firehose": parameters.read_firehose,
}


async def public_stream(hub: Hub, name: str, request: Request, send: Send) -> None:
    """`sample`, `filter` and `firehose`."""
    if request.method not in ("GET", "POST"):
        raise wrong_method("GET or POST")
    visitor, given = await _admitted(request)
    _check_scopes(visitor, name)
    wishes = parameters.read_wishes(given)
    wanted = await in_thread(PUBLIC_STREAMS[name], given)
    after = None
    if wishes.since_id is not None:
        after = await resume.position_after_status(wishes.since_id)
    client = Client(
        Delimited() if wishes.is_delimited else Lines(),
        wanted,
        visitor=visitor,
        stream_name=name,
        stall_warnings=wishes.stall_warnings,
        statuses_per_second=0 if name == "firehose" else settings.STREAM_STATUSES_PER_SECOND,
    )
    async with joined(hub, client):
        await stream(hub, client, send, after=after, headers=cors_headers(request))


async def home_stream(hub: Hub, request: Request, send: Send) -> None:
    """New statuses for the reader's home, for a browser."""
    if request.method != "GET":
        raise wrong_method("GET")
    visitor = await in_thread(_admit_session, request)
    last_event_id = request.headers.get("last-event-id")
    after = await resume.position_after_event(last_event_id) if last_event_id else None
    client = Client(
        ServerSent(), Filter(), visitor=visitor, stream_name="home", home_of=visitor.user_id
    )
    async with joined(hub, client):
        await home.load_authors(client)
        await stream(hub, client, send, after=after, headers=cors_headers(request))


async def _admitted(request: Request) -> tuple[Visitor, parameters.Parameters]:
    """Whose token or session it is, and what they ask for. Raises Refusal.

    A form is read once somebody vouches for it; one that has to be read to find the token is small.
    """
    if token := request.token():
        visitor = await in_thread(_admit, request, token)
        return visitor, await request.parameters()
    if not request.has_form and request.cookie(settings.SESSION_COOKIE_NAME):
        return await in_thread(_admit_session, request), request.address_parameters
    if request.form_bytes > MAX_UNKNOWN_FORM_BYTES:
        raise unauthorized(
            "Give the access token in the header: the form is too long to look there"
        )
    given = await request.parameters(form_bytes=MAX_UNKNOWN_FORM_BYTES)
    if token := given.get("access_token"):
        return await in_thread(_admit, request, token), given
    raise unauthorized("Give an access token, as in Authorization: Bearer …")


def _admit(request: Request, token: str) -> Visitor:
    """Raises Refusal."""
    with seats.counting_failures(request.address()):
        visitor = _visitor_with(token)
    seats.count_attempt(visitor)
    return visitor


def _visitor_with(token: str) -> Visitor:
    try:
        return Visitor(**tokens.look_up(token)._asdict())
    except tokens.BadToken as error:
        raise unauthorized(str(error)) from error
    except tokens.SuspendedAccount as error:
        raise forbidden(str(error)) from error


def _admit_session(request: Request) -> Visitor:
    """Somebody who is logged in, on a page of this site. Raises Refusal."""
    origin = request.headers.get("origin")
    if origin is not None and not is_allowed(origin):
        raise forbidden(f"Pages of {origin} may not read this stream")
    session_key = request.cookie(settings.SESSION_COOKIE_NAME)
    if not session_key:
        raise sessions.log_in_first()
    with seats.counting_failures(request.address()):
        visitor = sessions.look_up(session_key)
    seats.count_attempt(visitor)
    return visitor


def _check_scopes(visitor: Visitor, stream_name: str) -> None:
    if tokens.READ not in visitor.scopes:
        raise forbidden(f"The token does not allow to read: it lacks {tokens.READ}")
    if tokens.needed_for(stream_name) not in visitor.scopes:
        raise forbidden(f"The firehose needs a token with {tokens.FIREHOSE}, of staff")
