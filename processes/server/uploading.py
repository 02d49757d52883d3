"""Requests that are longer than other forms: who may send them, and how many at a time.

Only members may, to pages that take files. Everybody else is refused as soon as the head is here,
before the body fills our memory. An upload counts with its whole length until it is answered: what
arrives, what waits and what is worked on never exceed the bound together.
"""

from collections import Counter
from concurrent.futures import Future
from http import HTTPStatus
from typing import Any, NamedTuple

from gunicorn import http
from gunicorn.http import wsgi

from .connection import Connection
from .parking import ParkingWorker

# Somebody who sends a form twice may: the browser gives the first one up.
MOST_FOR_EACH = 2


class Upload(NamedTuple):
    owner: str
    size: int


class UploadRoom:
    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self.bytes = 0
        self._by_owner: Counter[str] = Counter()

    def enter(self, upload: Upload) -> bool:
        """Is there room for it? If so, `leave` when it is over."""
        if self.bytes + upload.size > self.most_bytes:
            return False
        if self._by_owner[upload.owner] >= MOST_FOR_EACH:
            return False
        self.bytes += upload.size
        self._by_owner[upload.owner] += 1
        return True

    def leave(self, upload: Upload) -> None:
        self.bytes -= upload.size
        self._by_owner[upload.owner] -= 1
        self._by_owner += Counter()  # forgets those who have none


class UploadingWorker(ParkingWorker):
    upload_seconds = 60.0
    # When the site stops: how long clients may keep using their open connections.
    last_call_seconds = 1.0
    upload_bytes = 64 * 1024 * 1024

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.alive: bool = True
        self.in_hand = 0  # requests in a thread, or next in line for one
        self.upload_room = UploadRoom(self.upload_bytes)
        self.uploads: dict[Connection, Upload] = {}

    def uploader(self, environ: dict[str, Any]) -> str | None:
        # Not above: gunicorn imports this module before Django is set up.
        from .uploaders import uploader

        return uploader(environ)

    def look_at(self, conn: Connection) -> None:
        raise NotImplementedError

    def ask_who_uploads(self, conn: Connection) -> None:
        """In a thread, since stores are asked. Until they answer, we read no further."""
        self.unpark(conn)
        self.in_hand += 1
        asked = self.tpool.submit(self._uploader, conn)
        asked.add_done_callback(
            lambda future: self.method_queue.defer(self._let_upload, conn, future)
        )

    def _uploader(self, conn: Connection) -> str | None:
        request = next(http.get_parser(self.cfg, [conn.request.head], conn.client))
        arguments = (request, conn.answer, conn.client, conn.server, self.cfg)
        return self.uploader(wsgi.create(*arguments)[1])

    def _let_upload(self, conn: Connection, asked: Future[str | None]) -> None:
        """Back in the main loop: waits for the body, or lets the application refuse it."""
        self.in_hand -= 1
        if error := asked.exception():
            self.log.warning("Nobody knows who uploads: %s", error)
            self._refuse_upload(conn, HTTPStatus.SERVICE_UNAVAILABLE)
        elif not (owner := asked.result()):
            self._refuse_upload(conn, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        elif not self.upload_room.enter(upload := Upload(owner, conn.request.length)):
            self._refuse_upload(conn, HTTPStatus.SERVICE_UNAVAILABLE)
        else:
            self.forget_request(conn)
            self.uploads[conn] = upload
            if self.alive:
                self.park(conn, self.uploading_conns, self.upload_seconds)
            else:
                self.park(conn, self.pending_conns, self.last_call_seconds)
            self.look_at(conn)

    def _refuse_upload(self, conn: Connection, status: HTTPStatus) -> None:
        conn.request.refuse_body(status)
        self.enqueue_req(conn)

    def forget_request(self, conn: Connection) -> None:
        super().forget_request(conn)
        if upload := self.uploads.pop(conn, None):
            self.upload_room.leave(upload)
