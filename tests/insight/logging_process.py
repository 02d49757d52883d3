"""Lines of a process, with the time of their record passed in."""

import logging
from typing import Any

from insight.log.message import Speaker
from insight.recording.log_handler import BufferHandler

# A whole hour.
HOUR = 1_800_000_000 // 3600


def record(message: str, *arguments: Any, at: Any = 0, **fields: Any) -> logging.LogRecord:
    values = {"name": "app", "levelno": logging.WARNING, "msg": message, "args": arguments}
    if at:
        values["created"] = at
    return logging.makeLogRecord(values | fields)


def hear(it: logging.LogRecord, *, speaker: Speaker = "web") -> None:
    BufferHandler(speaker).handle(it)
