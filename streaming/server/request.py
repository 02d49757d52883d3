"""An HTTP request to the stream port."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from functools import cached_property
from typing import Any
from urllib.parse import parse_qs

from django.http import HttpRequest
from django.http.cookie import parse_cookie

from web.client_address import client_address
from web.refusals import Refusal

from ..asked.parameters import Parameters
from ..asked.refusal import bad_request, not_acceptable, too_large, too_slow

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]

# 5,000 users, 400 phrases and 25 boxes fit, also when percent-encoded.
MAX_FORM_BYTES = 256_000
FORM_SECONDS = 10.0
# How much of a body we read and drop after a refusal, so that the client sees our answer.
MAX_UNREAD_BYTES, UNREAD_SECONDS = 2_000_000, 2.0
FORM = "application/x-www-form-urlencoded"


class Request:
    def __init__(self, scope: Message, receive: Receive) -> None:
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.headers: dict[str, str] = {
            name.decode("latin-1").lower(): value.decode("latin-1")
            for name, value in scope["headers"]
        }
        self._query: bytes = scope["query_string"]
        self._peer: str = (scope.get("client") or ("",))[0]
        self._receive = receive
        self._has_all = False

    @property
    def has_form(self) -> bool:
        media_type = self.headers.get("content-type", FORM).partition(";")[0]
        return self.method == "POST" and media_type.strip().lower() == FORM

    @property
    def form_bytes(self) -> int:
        """The announced size; 0 for a form that comes in chunks, or no form."""
        return int(self.headers.get("content-length", 0)) if self.has_form else 0

    @cached_property
    def address_parameters(self) -> Parameters:
        return _parse(self._query)

    async def parameters(self, *, form_bytes: int = MAX_FORM_BYTES) -> Parameters:
        """Joins address and form; repeated parameters become a list. Raises Refusal.

        Ask once: a form can't be read again.
        """
        if not self.has_form:
            return self.address_parameters
        form = await self._form(form_bytes)
        return await asyncio.to_thread(_parse, self._query + b"&" + form)

    def token(self) -> str | None:
        """Comes from the header or the address, which are known before a form is read."""
        scheme, _, raw = self.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return raw.strip()
        return self.address_parameters.get("access_token")

    def cookie(self, name: str) -> str | None:
        return parse_cookie(self.headers.get("cookie", "")).get(name)

    def address(self) -> str:
        request = HttpRequest()
        request.META = {
            "REMOTE_ADDR": self._peer,
            "HTTP_X_FORWARDED_FOR": self.headers.get("x-forwarded-for", ""),
        }
        return client_address(request)

    async def pass_over_body(self) -> None:
        """Closing a connection with unread bytes would reset it, and lose the answer."""
        if self._has_all or "expect" in self.headers:
            return
        left = MAX_UNREAD_BYTES
        try:
            async with asyncio.timeout(UNREAD_SECONDS):
                while left > 0 and not self._has_all:
                    left -= len(await self._next_part())
        except (TimeoutError, Refusal):
            return

    async def _form(self, most: int) -> bytes:
        if self.form_bytes > most:
            raise too_large(most)
        try:
            async with asyncio.timeout(FORM_SECONDS):
                return await self._body(most)
        except TimeoutError as error:
            raise too_slow(FORM_SECONDS) from error

    async def _body(self, most: int) -> bytes:
        body = bytearray()
        while not self._has_all:
            body += await self._next_part()
            if len(body) > most:
                raise too_large(most)
        return bytes(body)

    async def _next_part(self) -> bytes:
        message = await self._receive()
        if message["type"] == "http.disconnect":
            raise bad_request("The connection ended before the form did")
        self._has_all = not message.get("more_body")
        part: bytes = message.get("body", b"")
        return part


def _parse(encoded: bytes) -> Parameters:
    try:
        lists = parse_qs(encoded.decode("ascii"), errors="strict", max_num_fields=100)
    except ValueError as error:
        raise not_acceptable(f"The parameters can't be read: {error}") from error
    return {name: ",".join(values) for name, values in lists.items()}
