"""A WSGI application of a few lines, and a worker that loses patience sooner than the site's.

Requests for `/until-released` go on once gunicorn gets SIGUSR1.
"""

import tempfile
import threading
from collections.abc import Iterable
from types import FrameType
from typing import IO, Any

from processes.server.web_worker import WebWorker

MANY_BYTES = 32 * 1024 * 1024
PIECE = b"x" * 64 * 1024

slow_requests_go_on = threading.Event()
answered: list[str] = []


class QuickWorker(WebWorker):
    request_seconds = 1.0
    upload_seconds = 3.0
    answer_seconds = 1.0
    leaving_seconds = 0.5
    arriving_bytes = 3 * 1024 * 1024
    upload_bytes = 5 * 1024 * 1024
    answering_files = 2

    def uploader(self, environ: dict[str, Any]) -> str | None:
        return environ.get("HTTP_X_UPLOADER")

    def handle_usr1(self, sig: int, frame: FrameType | None) -> None:
        slow_requests_go_on.set()


class PatientWorker(QuickWorker):
    """Gives up on no client before a test is over."""

    arriving_bytes = upload_bytes = 64 * 1024 * 1024
    request_seconds = upload_seconds = answer_seconds = 300.0


def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    path = environ["PATH_INFO"]
    answered.append(path)
    if path == "/until-released":
        slow_requests_go_on.wait(60)
    if path == "/stream":
        start_response("200 OK", [("Content-Type", "text/plain")])
        return (PIECE for _ in range(MANY_BYTES // len(PIECE)))
    if path == "/file":
        start_response("200 OK", [("Content-Length", str(MANY_BYTES))])
        file: Iterable[bytes] = environ["wsgi.file_wrapper"](_big_file())
        return file
    body = b"x" * MANY_BYTES if path == "/big" else _told(environ)
    start_response("200 OK", [("Content-Length", str(len(body))), ("Content-Type", "text/plain")])
    return [body]


def _big_file() -> IO[bytes]:
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the server closes it
    file.write(b"x" * MANY_BYTES)
    file.seek(0)
    return file


def _told(environ: dict[str, Any]) -> bytes:
    if environ["PATH_INFO"] == "/answered":
        return " ".join(answered).encode()
    if environ["PATH_INFO"] == "/place":
        return repr(environ["SCRIPT_NAME"]).encode()
    if refused := environ.get("socialsite.body_refused"):
        return f"refused with {refused}".encode()
    if environ["PATH_INFO"] == "/unread":
        return b"not read"
    return f"{len(environ['wsgi.input'].read())} bytes".encode()
