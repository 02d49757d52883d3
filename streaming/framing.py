"""How messages stand in the bytes of a stream."""

import json
from collections.abc import Mapping
from typing import Any

# JSON need not escape these, but clients that split text into lines would split here.
_UNUSUAL_LINE_ENDS = str.maketrans({end: f"\\u{ord(end):04x}" for end in "\u0085\u2028\u2029"})


def json_text(message: Mapping[str, Any]) -> str:
    """On one line, whatever the message says."""
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    return text.translate(_UNUSUAL_LINE_ENDS)


def line(text: str) -> bytes:
    return text.encode() + b"\r\n"


def delimited(message: bytes) -> bytes:
    """The length counts the ending of the message, and ends as every line here does."""
    return b"%d\r\n%b" % (len(message), message)


def server_sent(position: int | None, name: str, data: str) -> bytes:
    head = "" if position is None else f"id: {position}\n"
    lines = "".join(f"data: {part}\n" for part in data.splitlines() or [""])
    return f"{head}event: {name}\n{lines}\n".encode()
