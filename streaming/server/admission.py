"""Who may have a stream: by access token, or by the session of a browser."""

from django.conf import settings

from access import tokens

from ..asked.listener import Listener
from ..asked.parameters import Parameters
from ..asked.refusal import forbidden, unauthorized
from ..engine.threads import in_thread
from . import seats, sessions
from .origins import is_allowed
from .request import Request

MAX_UNKNOWN_FORM_BYTES = 8_192


async def admit(request: Request) -> tuple[Listener, Parameters]:
    """Returns who asks, and for what. Raises Refusal.

    Only a listener we know may send a long form; one that may hold the token must be short.
    """
    if token := request.token():
        listener = await in_thread(admit_token, request, token)
        return listener, await request.parameters()
    if not request.has_form and request.cookie(settings.SESSION_COOKIE_NAME):
        return await in_thread(admit_session, request), request.address_parameters
    if request.form_bytes > MAX_UNKNOWN_FORM_BYTES:
        raise unauthorized(
            "Give the access token in the header: the form is too long to look there"
        )
    given = await request.parameters(form_bytes=MAX_UNKNOWN_FORM_BYTES)
    if token := given.get("access_token"):
        return await in_thread(admit_token, request, token), given
    raise unauthorized("Give an access token, as in Authorization: Bearer …")


def admit_token(request: Request, token: str) -> Listener:
    with seats.counting_failures(request.address()):
        listener = _listener_with(token)
    seats.count_attempt(listener)
    return listener


def admit_session(request: Request) -> Listener:
    origin = request.headers.get("origin")
    if origin is not None and not is_allowed(origin):
        raise forbidden(f"Pages of {origin} may not read this stream")
    session_key = request.cookie(settings.SESSION_COOKIE_NAME)
    if not session_key:
        raise sessions.log_in_first()
    with seats.counting_failures(request.address()):
        listener = sessions.look_up(session_key)
    seats.count_attempt(listener)
    return listener


def check_scopes(listener: Listener, stream_name: str) -> None:
    if tokens.READ not in listener.scopes:
        raise forbidden(f"The token does not allow to read: it lacks {tokens.READ}")
    if tokens.needed_for(stream_name) not in listener.scopes:
        raise forbidden(f"The firehose needs a token with {tokens.FIREHOSE}, of staff")


def _listener_with(token: str) -> Listener:
    try:
        return Listener(**tokens.look_up(token)._asdict())
    except tokens.BadToken as error:
        raise unauthorized(str(error)) from error
    except tokens.SuspendedAccount as error:
        raise forbidden(str(error)) from error
