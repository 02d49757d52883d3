"""gunicorn's worker for pages: a connection costs a thread only once its request is here.

In gunicorn's own threaded worker, a thread waits while a request trickles in, and the main loop
waits while a client hangs up. So a dozen slow connections stop all pages. Here the main loop does
all the waiting, for any number of connections at once:

    idle      kept alive, nothing of the next request is here yet
    arriving  a new connection, or a request that is partly here
    uploading the same, if it is so long that it may take its time
    leaving   has its last answer, and may read it before we hang up

Only for plain HTTP/1: for TLS or HTTP/2 put a proxy in front.
"""

import contextlib
import errno
import itertools
import time
from concurrent.futures import Future
from functools import partial
from selectors import EVENT_READ
from socket import MSG_PEEK, SHUT_WR, socket
from typing import Any

from gunicorn.workers.gthread import TConn, ThreadWorker

from .arriving_request import ArrivingRequest

RECEIVE_BYTES = 64 * 1024
NOBODY_THERE = (errno.EAGAIN, errno.EWOULDBLOCK, errno.ECONNABORTED)
NO_ROOM = (errno.EMFILE, errno.ENFILE)

LAST = b"Connection: close\r\nContent-Length: 0\r\n\r\n"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\n" + LAST
HEAD_TOO_LONG = b"HTTP/1.1 431 Request Header Fields Too Large\r\n" + LAST


class Connection(TConn):  # type: ignore[misc] # gunicorn has no types
    """A client, and what it has sent of its next request."""

    def __init__(self, *arguments: Any, answer_seconds: float) -> None:
        super().__init__(*arguments)
        self.answer_seconds = answer_seconds
        self.data_ready = True  # no thread has to wait for it
        self.request = ArrivingRequest()

    def init(self) -> None:
        """gunicorn calls this in a thread, at the start of each request."""
        super().init()
        # The whole request is here. We only wait if the client does not read its answer.
        self.sock.settimeout(self.answer_seconds)
        self.parser.unreader.unread(bytes(self.request.received))

    def has_hung_up(self) -> bool:
        try:
            return not self.sock.recv(1, MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True


# Connections in the order of their deadlines; a dict, since any of them may be removed.
Waiting = dict[Connection, None]


class WebWorker(ThreadWorker):  # type: ignore[misc] # gunicorn has no types
    request_seconds = 10.0
    upload_seconds = 60.0
    answer_seconds = 10.0
    leaving_seconds = 2.0
    # When the site stops: how long clients may keep using their open connections.
    last_call_seconds = 1.0
    # How much may wait in memory for the rest of its request.
    arriving_bytes = 64 * 1024 * 1024

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.keepalived_conns: Waiting = {}
        self.pending_conns: Waiting = {}
        self.uploading_conns: Waiting = {}
        self.leaving_conns: Waiting = {}
        self.alive: bool = True
        self.bytes_here = 0
        self.in_hand = 0  # requests in a thread, or next in line for one

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
        """We take no more than our threads can serve: the rest waits in the kernel, for any worker.
        Otherwise a reader's wait would depend on which worker picked up the connection."""
        busy = self.in_hand >= 4 * self.cfg.threads
        return not busy and bool(self.nr_conns < self.worker_connections)

    def _last_call(self) -> None:
        """We stop: serve what has been sent, and what clients send before they know."""
        for listener in self.sockets:
            while self.accept(listener):
                pass
        self.set_accept_enabled(False)
        # New clients are refused at once, instead of waiting for a process that stops.
        for listener in self.sockets:
            listener.close()
        for conn in [*self.keepalived_conns, *self.pending_conns, *self.uploading_conns]:
            self._park(conn, self.pending_conns, self.last_call_seconds)

    # What comes in ------------------------------------------------------------------------------

    def accept(self, listener: Any) -> bool:
        """Take a new connection, unless there is none."""
        try:
            sock, client = listener.accept()
        except OSError as error:
            if error.errno in NO_ROOM:
                self._drop_oldest()
            elif error.errno not in NOBODY_THERE:
                raise
            return False
        self.nr_conns += 1
        conn = Connection(
            self.cfg, sock, client, listener.getsockname(), answer_seconds=self.answer_seconds
        )
        self._park(conn, self.pending_conns, self.request_seconds)
        # Usually the request has come with it.
        self._receive(conn, sock)
        if self.nr_conns >= self.worker_connections:
            self._drop_oldest()
        return True

    def _receive(self, conn: Connection, sock: socket) -> None:
        if self._where(conn) is None:
            return  # an earlier event of this round has closed it
        try:
            some = sock.recv(RECEIVE_BYTES)
        except BlockingIOError:
            return
        except OSError:
            some = b""
        if not some:
            self._close(conn)
        elif conn not in self.leaving_conns:
            conn.request.add(some)
            self.bytes_here += len(some)
            self._look_at(conn)

    def _look_at(self, conn: Connection) -> None:
        """Has the request of a parked connection arrived?"""
        request = conn.request
        if request.is_whole:
            self._unpark(conn)
            self.enqueue_req(conn)
        elif request.head_is_too_long:
            self._refuse(conn, HEAD_TOO_LONG)
        else:
            if request.expects_continue:
                request.expects_continue = False
                self._send(conn, CONTINUE)
            if request.is_upload and self.alive and conn not in self.uploading_conns:
                self._park(conn, self.uploading_conns, self.upload_seconds)
            elif conn in self.keepalived_conns:
                self._park(conn, self.pending_conns, self.request_seconds)
            if self.bytes_here > self.arriving_bytes:
                self._drop_oldest(self.uploading_conns, self.pending_conns)

    def enqueue_req(self, conn: Connection) -> None:
        self.in_hand += 1
        super().enqueue_req(conn)

    # What goes out ------------------------------------------------------------------------------

    def handle(self, conn: Connection) -> Any:
        """In a thread: answer a request, unless the client has gone."""
        if conn.request.only_reads and conn.has_hung_up():
            return False
        return super().handle(conn)

    def handle_request(self, req: Any, conn: Connection) -> Any:
        # If part of the body is missing, we can't know where the next request begins. And if many
        # wait, the next request should queue up with them, where any worker can take it.
        if conn.request.lacks_body or self.in_hand >= 4 * self.cfg.threads:
            req.force_close()
        try:
            return super().handle_request(req, conn)
        except TimeoutError as error:
            raise BrokenPipeError(errno.EPIPE, "the client does not read its answer") from error

    def finish_request(self, conn: Connection, fs: Future[Any]) -> None:
        """Back in the main loop: wait for the next request, or hang up."""
        self.in_hand -= 1
        try:
            keep = not fs.cancelled() and bool(fs.result())
            conn.sock.setblocking(False)
        except Exception:
            self.nr_conns -= 1
            conn.close()
            return
        if not keep:
            conn.request = ArrivingRequest()
            self._leave(conn)
            return
        # Clients may send the next request before they have the answer to this one.
        conn.request = ArrivingRequest(conn.parser.unreader.take_buffered())
        self.bytes_here += len(conn.request.received)
        if self.alive:
            self._park(conn, self.keepalived_conns, self.cfg.keepalive)
        else:
            self._park(conn, self.pending_conns, self.last_call_seconds)
        if conn.request.received:
            self._look_at(conn)

    def _refuse(self, conn: Connection, answer: bytes) -> None:
        self._send(conn, answer)
        self._leave(conn)

    def _send(self, conn: Connection, some: bytes) -> None:
        with contextlib.suppress(OSError):
            conn.sock.send(some)

    def _leave(self, conn: Connection) -> None:
        """Hang up in a way that lets the client read its last answer (RFC 9112, 9.6)."""
        try:
            conn.sock.shutdown(SHUT_WR)
        except OSError:
            self._close(conn)
        else:
            self._park(conn, self.leaving_conns, self.leaving_seconds)

    # Where connections wait -----------------------------------------------------------------------

    def _where(self, conn: Connection) -> Waiting | None:
        arriving = (self.pending_conns, self.uploading_conns)
        places = (self.keepalived_conns, *arriving, self.leaving_conns)
        return next((waiting for waiting in places if conn in waiting), None)

    def _park(self, conn: Connection, among: Waiting, seconds: float) -> None:
        conn.timeout = time.monotonic() + seconds
        before = self._where(conn)
        if before is None:
            self.poller.register(conn.sock, EVENT_READ, partial(self._receive, conn))
        else:
            del before[conn]
        among[conn] = None

    def _unpark(self, conn: Connection) -> None:
        before = self._where(conn)
        if before is not None:
            del before[conn]
            self.poller.unregister(conn.sock)
        self.bytes_here -= len(conn.request.received)

    def _close(self, conn: Connection) -> None:
        self._unpark(conn)
        self.nr_conns -= 1
        conn.close()

    def _drop_oldest(self, *among: Waiting) -> None:
        """Make room: the one that has waited longest is least likely to come back."""
        places = (self.leaving_conns, self.keepalived_conns, self.uploading_conns)
        for waiting in among or (*places, self.pending_conns):
            if waiting:
                self._close(next(iter(waiting)))
                return

    # Time -----------------------------------------------------------------------------------------

    def murder_keepalived(self) -> None:
        for waiting in (self.keepalived_conns, self.leaving_conns):
            for conn in self._expired(waiting):
                self._close(conn)

    def murder_pending(self) -> None:
        expired = [*self._expired(self.pending_conns), *self._expired(self.uploading_conns)]
        for conn in expired:
            if conn.request.received:
                self._refuse(conn, TOO_SLOW)
            else:
                self._close(conn)

    def _expired(self, waiting: Waiting) -> list[Connection]:
        now = time.monotonic()
        return list(itertools.takewhile(lambda conn: conn.timeout <= now, waiting))
