"""HTTP on the stream port: gunicorn's, with a deadline for requests and errors in our words."""

import asyncio
import json
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

from gunicorn.asgi.protocol import ASGIProtocol

from web.refusals import Refusal

HEAD_SECONDS = 10.0
# What gunicorn refuses before there is a request to hand on.
ERRORS = {
    408: ("too_slow", f"The request did not arrive within {HEAD_SECONDS:g} s"),
    414: ("too_large", "The address is too long: send the parameters as a form, by POST"),
    431: ("too_large", "The headers are too long"),
}


class StreamProtocol(ASGIProtocol):  # type: ignore[misc] # gunicorn has no types
    """Adds a deadline for the first request of a connection, which gunicorn lacks."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        # A write waits for the kernel: so a stream learns that its client lags.
        transport.set_write_buffer_limits(high=0)
        self._deadline = self.worker.loop.call_later(HEAD_SECONDS, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _on_headers_complete(self) -> Any:
        self._stop_waiting()
        return super()._on_headers_complete()

    def _feed_callback_parser(self, data: bytes) -> bool:
        try:
            return bool(super()._feed_callback_parser(data))
        except ValueError:
            # Python refuses to read a length of thousands of digits; gunicorn does not expect it.
            self._send_error_response(400, "The headers can't be read")
            self._close_transport()
            return False

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()

    def _give_up(self) -> None:
        self._send_error_response(408, "")
        self._keepalive_timeout()  # closes, as after a pause between two requests

    def _send_error_response(
        self, status: int, message: str, extra_headers: Iterable[tuple[str, str]] = ()
    ) -> None:
        """Like gunicorn's, which answers with plain text."""
        code, words = ERRORS.get(status, ("bad_request", message))
        refusal = Refusal(words, code=code, status=status)
        body = json.dumps(refusal.as_json).encode()
        headers = [
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(body))),
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
            ("Connection", "close"),
            *extra_headers,
        ]
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
        self._safe_write(f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n{lines}\r\n".encode())
        self._safe_write(body)
