"""Who a browser's session cookie belongs to: Django's rules, without its middleware."""

from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user
from django.http import HttpRequest

from access.tokens import READ

from .refusal import Refusal, unauthorized
from .visitor import Visitor


def look_up(session_key: str) -> Visitor:
    """Raises Refusal. Reads the session from Redis and the user from SQL."""
    if not session_key.isascii() or not session_key.isalnum():
        raise log_in_first()
    request = HttpRequest()
    request.session = _session(session_key)
    user = get_user(request)
    if user.pk is None or not user.is_active:
        raise log_in_first()
    return Visitor(user_id=user.pk, session_key=session_key, scopes=frozenset({READ}))


def log_in_first() -> Refusal:
    return unauthorized("Log in first: this stream needs the session cookie")


def is_still_valid(visitor: Visitor) -> bool:
    """Logged out, suspended or given a new password: no longer."""
    request = HttpRequest()
    request.session = _session(visitor.session_key or "")
    user = get_user(request)
    return user.pk == visitor.user_id and user.is_active


def _session(session_key: str) -> Any:
    return import_module(settings.SESSION_ENGINE).SessionStore(session_key)
