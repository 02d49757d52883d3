"""gunicorn's worker for pages: a connection costs a thread only while its request is worked on.

In gunicorn's own threaded worker a thread waits while a request trickles in and while its answer is
read: a dozen slow connections stop all pages. Here the main loop does all the waiting. A connection
is idle (kept alive), arriving (its request is partly here), uploading (arriving, and so long that
it may take its time), answering (the client has not read all of it) or leaving (it may read its
last answer before we hang up). Its next request is looked at once the answer before it is sent.

Only for plain HTTP/1: for TLS or HTTP/2 put a proxy in front.
"""

import contextlib
import errno
import time
from concurrent.futures import Future
from selectors import EVENT_READ
from socket import SHUT_WR, socket
from typing import Any

from web.body_limits import BODY_REFUSED

from .answer import StreamSeats
from .arriving_request import ArrivingRequest
from .connection import Connection
from .uploading import UploadingWorker

RECEIVE_BYTES = 64 * 1024
NOBODY_THERE = (errno.EAGAIN, errno.EWOULDBLOCK, errno.ECONNABORTED)
NO_ROOM = (errno.EMFILE, errno.ENFILE)

LAST = b"Connection: close\r\nContent-Length: 0\r\n\r\n"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\n" + LAST
HEAD_TOO_LONG = b"HTTP/1.1 431 Request Header Fields Too Large\r\n" + LAST


class WebWorker(UploadingWorker):
    request_seconds = 10.0
    # Without a byte being read.
    answer_seconds = 10.0
    leaving_seconds = 2.0
    # How much may be in memory of requests that are not answered yet, apart from uploads.
    arriving_bytes = 64 * 1024 * 1024
    # How much may wait for clients to read it, and in how many open files.
    answering_bytes = 64 * 1024 * 1024
    answering_files = 64

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.seats = StreamSeats(threads=self.cfg.threads, seconds=self.answer_seconds)

    def load_wsgi(self) -> None:
        super().load_wsgi()
        application: Any = self.wsgi  # type: ignore[has-type] # gunicorn's, which has none

        def with_refusal(environ: dict[str, Any], start_response: Any) -> Any:
            environ[BODY_REFUSED] = environ["gunicorn.socket"].body_refused
            return application(environ, start_response)

        self.wsgi = with_refusal

    def run(self) -> None:
        callbacks = self.method_queue
        self.poller.register(callbacks.fileno(), EVENT_READ, callbacks.run_callbacks)
        while self.alive and self.is_parent_alive():
            self.set_accept_enabled(self._has_room())
            self._turn()
        self.alive = False
        self._last_call()
        deadline = time.monotonic() + self.cfg.graceful_timeout
        while self.nr_conns and time.monotonic() < deadline:
            self._turn()
        self.tpool.shutdown(wait=False)

    def _turn(self) -> None:
        self.notify()
        self.wait_for_and_dispatch_events(timeout=1.0)
        self.murder_keepalived()
        self.murder_pending()

    def _has_room(self) -> bool:
        """No more than our threads can serve: the rest waits in the kernel, for any worker."""
        return not self._is_busy() and bool(self.nr_conns < self.worker_connections)

    def _is_busy(self) -> bool:
        return bool(self.in_hand >= 4 * self.cfg.threads)

    def _last_call(self) -> None:
        """We stop: serves what has been sent, and what clients send before they know."""
        for listener in self.sockets:
            while self.accept(listener):
                pass
        self.set_accept_enabled(False)
        # New clients are refused at once, instead of waiting for a process that stops.
        for listener in self.sockets:
            listener.close()
        for conn in [*self.keepalived_conns, *self.pending_conns, *self.uploading_conns]:
            self.park(conn, self.pending_conns, self.last_call_seconds)

    # What comes in --------------------------------------------------------------------------------

    def accept(self, listener: Any) -> bool:
        try:
            sock, client = listener.accept()
        except OSError as error:
            if error.errno in NO_ROOM:
                self.drop_oldest()
            elif error.errno not in NOBODY_THERE:
                raise
            return False
        self.nr_conns += 1
        conn = Connection(self.cfg, sock, client, listener.getsockname(), seats=self.seats)
        self.park(conn, self.pending_conns, self.request_seconds)
        # Usually the request has come with it.
        self.receive(conn, sock)
        if self.nr_conns >= self.worker_connections:
            self.drop_oldest()
        return True

    def receive(self, conn: Connection, sock: socket) -> None:
        if conn.place is None:
            return  # an earlier event of this round has closed it
        try:
            some = sock.recv(RECEIVE_BYTES)
        except BlockingIOError:
            return
        except OSError:
            some = b""
        if not some:
            self.close(conn)
        elif conn.place is not self.leaving_conns:
            conn.request.add(some)
            if conn not in self.uploads:
                self.count_request(conn, len(some))
            self.look_at(conn)

    def look_at(self, conn: Connection) -> None:
        request = conn.request
        if request.is_upload and conn not in self.uploads:
            self.ask_who_uploads(conn)
        elif request.is_whole:
            self.unpark(conn)
            self.enqueue_req(conn)
        elif request.head_is_too_long:
            self._refuse(conn, HEAD_TOO_LONG)
        else:
            if request.expects_continue:
                request.expects_continue = False
                self._send(conn, CONTINUE)
            if conn.place is self.keepalived_conns:
                self.park(conn, self.pending_conns, self.request_seconds)
            if self.bytes_here > self.arriving_bytes:
                self.drop_oldest(self.pending_conns)

    def enqueue_req(self, conn: Connection) -> None:
        self.in_hand += 1
        super().enqueue_req(conn)

    # What goes out --------------------------------------------------------------------------------

    def handle(self, conn: Connection) -> Any:
        """In a thread: answers a request, unless the client has gone."""
        if conn.request.only_reads and conn.has_hung_up():
            return False
        return super().handle(conn)

    def handle_request(self, req: Any, conn: Connection) -> Any:
        # If part of the body is missing, we can't know where the next request begins. And if many
        # wait, the next request should queue up with them, where any worker can take it.
        if conn.request.lacks_body or self._is_busy():
            req.force_close()
        try:
            stays = super().handle_request(req, conn.begin_answer())
            conn.answer.flush()
        except OSError as error:
            conn.answer.close()
            if isinstance(error, BlockingIOError):
                raise BrokenPipeError(errno.EPIPE, "a body that is not here was read") from error
            raise
        return stays

    def finish_request(self, conn: Connection, fs: Future[Any]) -> None:
        """Back in the main loop: sends the rest of the answer."""
        self.in_hand -= 1
        self.forget_request(conn)
        conn.request = ArrivingRequest()
        try:
            conn.stays = not fs.cancelled() and bool(fs.result())
            conn.sock.setblocking(False)
        except Exception:
            self.close(conn)
            return
        if conn.answer.is_sent:
            self._go_on(conn)
            return
        self.park(conn, self.answering_conns, self.answer_seconds)
        self.count_answer(conn, conn.answer.held)
        self._bound_answers()

    def send_on(self, conn: Connection, _sock: socket) -> None:
        if conn.place is not self.answering_conns:
            return  # an earlier event of this round has closed it
        try:
            conn.answer.flush()
        except OSError:
            self.close(conn)
            return
        self.count_answer(conn, conn.answer.held)
        if conn.answer.is_sent:
            self.unpark(conn)
            self._go_on(conn)
        else:
            self.park(conn, self.answering_conns, self.answer_seconds)

    def _bound_answers(self) -> None:
        """Cuts off those that have read nothing for the longest time."""
        while self.bytes_to_send > self.answering_bytes:
            self.close(next(conn for conn in self.answering_conns if conn.answer.held))
        with_file = [conn for conn in self.answering_conns if conn.answer.has_file]
        for conn in with_file[: -self.answering_files]:
            self.close(conn)

    def _go_on(self, conn: Connection) -> None:
        """The answer is sent: waits for the next request, or hangs up."""
        if not conn.stays:
            self._leave(conn)
            return
        # Clients may send the next request before they have the answer to this one.
        conn.request = ArrivingRequest(conn.parser.unreader.take_buffered())
        self.count_request(conn, len(conn.request.received))
        if self.alive:
            self.park(conn, self.keepalived_conns, self.cfg.keepalive)
        else:
            self.park(conn, self.pending_conns, self.last_call_seconds)
        if conn.request.received:
            self.look_at(conn)

    def _refuse(self, conn: Connection, answer: bytes) -> None:
        self._send(conn, answer)
        self._leave(conn)

    def _send(self, conn: Connection, some: bytes) -> None:
        with contextlib.suppress(OSError):
            conn.sock.send(some)

    def _leave(self, conn: Connection) -> None:
        """Hangs up in a way that lets the client read its last answer (RFC 9112, 9.6)."""
        try:
            conn.sock.shutdown(SHUT_WR)
        except OSError:
            self.close(conn)
        else:
            self.forget_request(conn)
            conn.request = ArrivingRequest()
            self.park(conn, self.leaving_conns, self.leaving_seconds)

    # Time -----------------------------------------------------------------------------------------

    def murder_keepalived(self) -> None:
        for waiting in (self.keepalived_conns, self.answering_conns, self.leaving_conns):
            for conn in self.expired(waiting):
                self.close(conn)

    def murder_pending(self) -> None:
        for conn in [*self.expired(self.pending_conns), *self.expired(self.uploading_conns)]:
            if conn.request.received:
                self._refuse(conn, TOO_SLOW)
            else:
                self.close(conn)
