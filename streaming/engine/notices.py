"""Messages about the stream itself."""

from enum import IntEnum
from typing import Any


class Goodbye(IntEnum):
    """Why the server closes a stream. Twitter's other codes are never sent (docs/streaming.md)."""

    SHUTDOWN = 1
    STALL = 4
    TOKEN_REVOKED = 6
    NEWER_CONNECTION = 7
    ERROR = 10


def limit(withheld: int) -> dict[str, Any]:
    return {"limit": {"track": withheld}}


def falling_behind(message: str, percent_full: int) -> dict[str, Any]:
    return {"warning": {"code": "FALLING_BEHIND", "message": message, "percent_full": percent_full}}


def disconnect(goodbye: Goodbye, stream_name: str, reason: str) -> dict[str, Any]:
    return {"disconnect": {"code": int(goodbye), "stream_name": stream_name, "reason": reason}}
