"""A WSGI application of a few lines, and a worker that loses patience sooner than the site's.

Requests for `/until-released` go on once gunicorn gets SIGUSR1.
"""

import threading
from collections.abc import Iterable
from types import FrameType
from typing import Any

from socialsite.server.web_worker import WebWorker

MANY_BYTES = 32 * 1024 * 1024

slow_requests_go_on = threading.Event()
answered: list[str] = []


class QuickWorker(WebWorker):
    request_seconds = 1.0
    upload_seconds = 3.0
    answer_seconds = 1.0
    leaving_seconds = 0.5
    arriving_bytes = 3 * 1024 * 1024

    def handle_usr1(self, sig: int, frame: FrameType | None) -> None:
        slow_requests_go_on.set()


class PatientWorker(WebWorker):
    """Gives up on no client before a test is over."""

    request_seconds = upload_seconds = answer_seconds = 300.0


def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    path = environ["PATH_INFO"]
    answered.append(path)
    if path == "/until-released":
        slow_requests_go_on.wait(60)
    body = b"x" * MANY_BYTES if path == "/big" else _told(environ)
    start_response("200 OK", [("Content-Length", str(len(body))), ("Content-Type", "text/plain")])
    return [body]


def _told(environ: dict[str, Any]) -> bytes:
    if environ["PATH_INFO"] == "/answered":
        return " ".join(answered).encode()
    if environ["PATH_INFO"] == "/place":
        return repr(environ["SCRIPT_NAME"]).encode()
    if environ["PATH_INFO"] == "/unread":
        return b"not read"
    return f"{len(environ['wsgi.input'].read())} bytes".encode()
