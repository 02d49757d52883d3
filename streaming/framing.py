"""How messages stand in the bytes of a stream."""

import json
from typing import Any


def json_text(message: dict[str, Any]) -> str:
    """JSON escapes line ends inside of texts, so a message is one line."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))


def line(text: str) -> bytes:
    return text.encode() + b"\r\n"


def delimited(message: bytes) -> bytes:
    """The length counts the ending of the message."""
    return b"%d\n%b" % (len(message), message)


def server_sent(position: int | None, name: str, data: str) -> bytes:
    head = "" if position is None else f"id: {position}\n"
    lines = "".join(f"data: {part}\n" for part in data.splitlines() or [""])
    return f"{head}event: {name}\n{lines}\n".encode()
