"""Whose session cookie it is, by Django's rules but without its middleware."""

from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user
from django.http import HttpRequest

from access.tokens import READ
from web.refusals import Refusal

from ..asked.listener import Listener
from ..asked.refusal import unauthorized


def look_up(session_key: str) -> Listener:
    if not session_key.isascii() or not session_key.isalnum():
        raise log_in_first()
    request = HttpRequest()
    request.session = _session(session_key)
    user = get_user(request)
    if user.pk is None or not user.is_active:
        raise log_in_first()
    return Listener(
        user_id=user.pk, session_key=session_key, scopes=frozenset({READ}), language=user.language
    )


def log_in_first() -> Refusal:
    return unauthorized("Log in first: this stream needs the session cookie")


def is_still_valid(listener: Listener) -> bool:
    """Not after a log-out, a suspension or a new password."""
    request = request_of(listener)
    return request.user.pk == listener.user_id and request.user.is_active


def request_of(listener: Listener) -> HttpRequest:
    """As if they asked for a page now: for what says who may read it."""
    request = HttpRequest()
    request.method = "GET"
    request.session = _session(listener.session_key or "")
    request.user = get_user(request)
    return request


def _session(session_key: str) -> Any:
    return import_module(settings.SESSION_ENGINE).SessionStore(session_key)
