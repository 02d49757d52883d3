"""Sessions, for Django (`SESSION_ENGINE`): read from Redis, kept in SQL.

A Redis that loses its memory logs nobody out. Both stores know a session by the digest of the
cookie's key and hold it sealed with that key: neither reading nor writing them lets anybody in.
"""

import json
import logging
from typing import Any

from django.contrib.auth import SESSION_KEY as USER_ID
from django.contrib.sessions import middleware
from django.contrib.sessions.backends.base import CreateError, SessionBase, UpdateError
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import get_random_string
from redis.exceptions import RedisError

from redistools.sealing import seal, unseal
from web.client_address import client_address

from ..models import Session
from . import session_rows
from .agents import shortened
from .session_rows import Visit

KEY_LENGTH = 32

logger = logging.getLogger(__name__)
suspicious = logging.getLogger("django.security.SuspiciousSession")


class SessionMiddleware(middleware.SessionMiddleware):
    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        agent = shortened(request.headers.get("User-Agent", ""))
        request.session.visit = Visit(agent, client_address(request))  # type: ignore[attr-defined] # our store's


class SessionStore(SessionBase):
    visit = Visit()

    @property
    def digest(self) -> str:
        return session_rows.session_digest(self.session_key)

    def load(self) -> dict[str, Any]:
        try:
            held = session_rows.read_copy(self.digest)
        except (RedisError, UnicodeDecodeError):  # away, or somebody else wrote there
            held = None
        found = self._unsealed(held)
        return found if found is not None else self._load_from_sql()

    def _load_from_sql(self) -> dict[str, Any]:
        sealed = session_rows.load(self.digest, self.visit)
        found = self._unsealed(sealed)
        if sealed and found is None:
            suspicious.warning("A session could not be unsealed")
        if found is None:
            self._session_key = None  # so that nobody chooses the key of their next session
        return found or {}

    def create(self) -> None:
        self._session_key = self._get_new_session_key()
        self.save(must_create=True)
        self.modified = True

    def save(self, must_create: bool = False) -> None:
        """Raises UpdateError if the session was ended since it was read."""
        if self.session_key is None:
            self.create()
            return
        data: dict[str, Any] = self._get_session(no_load=must_create)  # type: ignore[attr-defined] # Django's
        fields = {
            "user_id": data.get(USER_ID),
            "data": self._sealed(data),
            "expires_at": self.get_expiry_date(),
        }
        try:
            with transaction.atomic():
                self._write(fields, must_create=must_create)
        except IntegrityError as error:  # on an update: the account is gone
            raise CreateError if must_create else UpdateError from error
        _forget_copy(self.digest)

    def _write(self, fields: dict[str, Any], *, must_create: bool) -> None:
        if must_create:
            Session.objects.create(digest=self.digest, **fields, **self.visit._asdict())
        elif not Session.objects.filter(digest=self.digest).update(**fields):
            raise UpdateError

    def delete(self, session_key: str | None = None) -> None:
        key = session_key or self.session_key
        if key is not None:
            rows = Session.objects.filter(digest=session_rows.session_digest(key))
            session_rows.end(rows, reason="You have logged out.")

    def exists(self, session_key: str) -> bool:
        return Session.objects.filter(digest=session_rows.session_digest(session_key)).exists()

    @classmethod
    def clear_expired(cls) -> None:
        session_rows.remove_expired(timezone.now())

    def _get_new_session_key(self) -> str:
        """165 random bits: no need to look whether somebody has them."""
        return get_random_string(KEY_LENGTH, "abcdefghijklmnopqrstuvwxyz0123456789")

    def _validate_session_key(self, key: str | None) -> bool:
        """Anything else is not ours, and costs no query."""
        return key is not None and len(key) == KEY_LENGTH and key.isascii() and key.isalnum()

    def _sealed(self, data: dict[str, Any]) -> str:
        text = json.dumps(data, separators=(",", ":")).encode()
        return seal(text, owner=f"session {self.session_key}")

    def _unsealed(self, sealed: str | None) -> dict[str, Any] | None:
        text = unseal(sealed, owner=f"session {self.session_key}") if sealed else None
        return None if text is None else json.loads(text)


def _forget_copy(digest: str) -> None:
    """If Redis is away, the older copy lives for an hour at most."""
    try:
        session_rows.forget([digest])
    except RedisError as error:
        logger.warning("An older copy of a session was not removed: %s", error)
