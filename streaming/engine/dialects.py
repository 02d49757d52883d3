"""The three formats in which a client can have a stream."""

from typing import Any, Protocol

from .. import formats
from ..event import StreamEvent


class Dialect(Protocol):
    media_type: bytes
    keep_alive_seconds: int

    def greeting(self) -> bytes:
        """Sent with the headers, which would otherwise wait for the first event."""

    def keep_alive(self, position: int) -> bytes: ...

    def event(self, event: StreamEvent) -> bytes: ...

    def notice(self, message: dict[str, Any]) -> bytes:
        """Formats a limit, a warning, a disconnect message, or news for one user alone."""


class Lines:
    media_type = b"application/json"
    keep_alive_seconds = 30

    def greeting(self) -> bytes:
        return b"\r\n"

    def keep_alive(self, position: int) -> bytes:  # noqa: ARG002 - only ServerSent sends it
        return b"\r\n"

    def event(self, event: StreamEvent) -> bytes:
        return event.line

    def notice(self, message: dict[str, Any]) -> bytes:
        return formats.line(message)


class Delimited(Lines):
    def event(self, event: StreamEvent) -> bytes:
        return event.delimited

    def notice(self, message: dict[str, Any]) -> bytes:
        return formats.delimited(super().notice(message))


class ServerSent:
    media_type = b"text/event-stream"
    keep_alive_seconds = 15

    def __init__(self, language: str) -> None:
        self._language = language

    def greeting(self) -> bytes:
        return b":)\n\n"

    def keep_alive(self, position: int) -> bytes:
        """Moves the browser's `Last-Event-ID` on while nothing else does."""
        return f":thump\nid: {position}\n\n".encode()

    def event(self, event: StreamEvent) -> bytes:
        return event.server_sent(self._language)

    def notice(self, message: dict[str, Any]) -> bytes:
        ((name, content),) = message.items()
        return formats.server_sent(None, name, formats.json_text(self._in_language(content)))

    def _in_language(self, content: dict[str, Any]) -> dict[str, Any]:
        """HTML may come in several languages: takes the reader's, or any if they switched since."""
        html = content.get("html")
        if not isinstance(html, dict):
            return content
        return content | {"html": html.get(self._language) or next(iter(html.values()), "")}
