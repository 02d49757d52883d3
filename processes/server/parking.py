"""Where connections wait, in the main loop of a process: for how long, and at whose expense."""

import itertools
import time
from functools import partial
from selectors import EVENT_READ, EVENT_WRITE
from socket import socket
from typing import Any

from gunicorn.workers.gthread import ThreadWorker

from .connection import Connection, Waiting


class ParkingWorker(ThreadWorker):  # type: ignore[misc] # gunicorn has no types
    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.keepalived_conns: Waiting = {}
        self.pending_conns: Waiting = {}
        self.uploading_conns: Waiting = {}
        self.answering_conns: Waiting = {}
        self.leaving_conns: Waiting = {}
        self.bytes_here = 0  # of requests, until they are answered
        self.bytes_to_send = 0

    def receive(self, conn: Connection, sock: socket) -> None:
        raise NotImplementedError

    def send_on(self, conn: Connection, sock: socket) -> None:
        raise NotImplementedError

    def park(self, conn: Connection, among: Waiting, seconds: float) -> None:
        conn.timeout = time.monotonic() + seconds
        if conn.place is None:
            self._listen(conn, among)
        else:
            del conn.place[conn]
        among[conn] = None
        conn.place = among

    def _listen(self, conn: Connection, among: Waiting) -> None:
        """A connection is either read from or written to, and a thread comes in between."""
        if among is self.answering_conns:
            self.poller.register(conn.sock, EVENT_WRITE, partial(self.send_on, conn))
        else:
            self.poller.register(conn.sock, EVENT_READ, partial(self.receive, conn))

    def unpark(self, conn: Connection) -> None:
        if conn.place is not None:
            del conn.place[conn]
            conn.place = None
            self.poller.unregister(conn.sock)

    def close(self, conn: Connection) -> None:
        self.unpark(conn)
        self.forget_request(conn)
        self.count_answer(conn, 0)
        self.nr_conns -= 1
        conn.close()

    # Memory ---------------------------------------------------------------------------------------

    def count_request(self, conn: Connection, size: int) -> None:
        conn.counted += size
        self.bytes_here += size

    def forget_request(self, conn: Connection) -> None:
        self.bytes_here -= conn.counted
        conn.counted = 0

    def count_answer(self, conn: Connection, size: int) -> None:
        self.bytes_to_send += size - conn.answer_counted
        conn.answer_counted = size

    def drop_oldest(self, *among: Waiting) -> None:
        """Makes room: the one that has waited longest is least likely to come back."""
        places = (self.leaving_conns, self.keepalived_conns, self.answering_conns)
        for waiting in among or (*places, self.uploading_conns, self.pending_conns):
            if waiting:
                self.close(next(iter(waiting)))
                return

    # Time -----------------------------------------------------------------------------------------

    def expired(self, waiting: Waiting) -> list[Connection]:
        now = time.monotonic()
        return list(itertools.takewhile(lambda conn: conn.timeout <= now, waiting))
