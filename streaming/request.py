"""What an HTTP request to the stream port says."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qs

from django.http import HttpRequest
from django.http.cookie import parse_cookie

from users.client_address import client_address

from .refusal import not_acceptable, too_many_values

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]

# 5,000 users, 400 phrases and 25 boxes fit several times, also when percent-encoded.
MAX_BODY_BYTES = 1_000_000
FORM = "application/x-www-form-urlencoded"


class Request:
    def __init__(self, scope: Message, receive: Receive) -> None:
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.headers = {
            name.decode("latin-1").lower(): value.decode("latin-1")
            for name, value in scope["headers"]
        }
        self._query: bytes = scope["query_string"]
        self._peer: str = (scope.get("client") or ("",))[0]
        self._receive = receive

    async def parameters(self) -> dict[str, str]:
        """Of the address and, in a POST, of the form. One that is given twice counts as a list."""
        encoded = self._query
        if self.method == "POST" and self.headers.get("content-type", FORM).startswith(FORM):
            encoded += b"&" + await self._body()
        try:
            lists = parse_qs(encoded.decode("ascii"), errors="strict", max_num_fields=100)
        except ValueError as error:
            raise not_acceptable(f"The parameters can't be read: {error}") from error
        return {name: ",".join(values) for name, values in lists.items()}

    def cookie(self, name: str) -> str | None:
        return parse_cookie(self.headers.get("cookie", "")).get(name)

    def address(self) -> str:
        """By the same rules as for pages."""
        request = HttpRequest()
        request.META = {
            "REMOTE_ADDR": self._peer,
            "HTTP_X_FORWARDED_FOR": self.headers.get("x-forwarded-for", ""),
        }
        return client_address(request)

    async def _body(self) -> bytes:
        body = bytearray()
        while True:
            message = await self._receive()
            body += message.get("body", b"")
            if len(body) > MAX_BODY_BYTES:
                raise too_many_values(f"The form is larger than {MAX_BODY_BYTES} bytes")
            if not message.get("more_body"):
                return bytes(body)
