"""Hands every line that this process logs to the buffer, from `INFO` on.

It asks no store. What is logged while figures are sent is not heard: it would be sent with the
next, and so on.
"""

import logging
import re
import threading
from contextlib import ContextDecorator
from traceback import format_exception

from django.http import HttpRequest
from django.urls import Resolver404, resolve

from redistools.outages.errors import is_outage
from web.brief_log import BriefRequests

from ..log.message import Line, Message, Speaker, severity_of
from ..log.scrubbing import shortened
from ..log.store import LONGEST_TEMPLATE, LONGEST_TEXT, LONGEST_TRACEBACK
from .buffer import buffer
from .middleware import LONGEST_PATH, UNKNOWN

# What is scrubbed when it is sent may be cut only then, or half of a secret would look like none.
MARGIN = 300
# The root, and those whose lines don't reach it.
LOGGERS = ("", "gunicorn.error", "processes.supervisor")
# Of a text that somebody else has put together: what differs from one line to the next.
DETAILS = re.compile(r"""\d+|'[^'\n]*'|"[^"\n]*\"""")
TASK = "Task id=%s path=%s"
LONGEST_ID = 100


class _Unheard(ContextDecorator, threading.local):
    """A block or function in which this thread is not listened to. May be nested."""

    depth = 0

    def __enter__(self) -> None:
        self.depth += 1

    def __exit__(self, *_raised: object) -> None:
        self.depth -= 1


unheard = _Unheard()


class BufferHandler(logging.Handler):
    def __init__(self, speaker: Speaker) -> None:
        super().__init__(logging.INFO)
        self.speaker = speaker
        self.addFilter(BriefRequests())

    def emit(self, record: logging.LogRecord) -> None:
        if unheard.depth or not buffer.is_on:
            return
        try:
            self._hand_over(record)
        except Exception:  # as every handler does: who logs has other things to do
            self.handleError(record)

    def _hand_over(self, record: logging.LogRecord) -> None:
        arguments = arguments_of(record)
        message = message_of(record, arguments)
        line = Line(record.created, text_of(record, arguments), self.speaker, task_of(record))
        traceback = traceback_of(record) if buffer.wants_traceback(message) else ""
        buffer.log(message, int(record.created) // 3600, line, traceback)


def arguments_of(record: logging.LogRecord) -> object:
    """Django logs the path of a request; we keep the pattern of its URL."""
    request = getattr(record, "request", None)
    if not (isinstance(request, HttpRequest) and isinstance(record.args, tuple)):
        return record.args
    paths = (request.path, request.path.encode("unicode_escape").decode("ascii"))
    return tuple(pattern_of(request) if it in paths else it for it in record.args)


def message_of(record: logging.LogRecord, arguments: object) -> Message:
    template = _template(record, arguments)[: LONGEST_TEMPLATE + MARGIN]
    return Message(severity_of(record.levelno), record.name, template)


def _template(record: logging.LogRecord, arguments: object) -> str:
    template = str(record.msg)
    if not arguments or template == "%s":
        text = _filled(template, arguments)[: LONGEST_TEMPLATE + MARGIN]
        return DETAILS.sub("#", text)
    if hasattr(record, "request"):  # each page is a message of its own
        return _filled(template, arguments)
    if template.startswith(TASK) and isinstance(arguments, tuple):  # and so is each task
        return template.replace("path=%s", f"path={arguments[1]}", 1)
    return template


def text_of(record: logging.LogRecord, arguments: object) -> str:
    text = _filled(str(record.msg), arguments)[: LONGEST_TEXT + MARGIN]
    error = record.exc_info[1] if record.exc_info else None
    if is_outage(error):
        return f"{text} ({type(error).__name__}: {error})"[: LONGEST_TEXT + MARGIN]
    return text


def _filled(template: str, arguments: object) -> str:
    return template % arguments if arguments else template


def traceback_of(record: logging.LogRecord) -> str:
    """Without local variables. An outage has none: where in our code we noticed it does not
    matter (`redistools/outages/errors.py`).
    """
    error = record.exc_info[1] if record.exc_info else None
    if error is None or is_outage(error):
        return ""
    text = record.exc_text or "".join(format_exception(error))
    return shortened(text, LONGEST_TRACEBACK + MARGIN)


def task_of(record: logging.LogRecord) -> str:
    if not (str(record.msg).startswith("Task id=%s ") and isinstance(record.args, tuple)):
        return ""
    return str(record.args[0])[:LONGEST_ID] if record.args else ""


def pattern_of(request: HttpRequest) -> str:
    match = request.resolver_match
    try:
        if match is None and len(request.path_info) <= LONGEST_PATH:
            match = resolve(request.path_info)
    except Resolver404:
        return UNKNOWN
    return f"/{match.route}" if match else UNKNOWN


_handler: BufferHandler | None = None


def listen(speaker: Speaker) -> None:
    """To warnings of Python too, which would go to stderr alone."""
    global _handler
    _handler = BufferHandler(speaker)
    for name in LOGGERS:
        logging.getLogger(name).addHandler(_handler)
    logging.captureWarnings(True)


def listen_no_more() -> None:
    global _handler
    logging.captureWarnings(False)
    for name in LOGGERS:
        if _handler is not None:
            logging.getLogger(name).removeHandler(_handler)
    _handler = None
