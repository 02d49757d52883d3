"""A client of the page port: what it has sent of its next request, what it has to read yet."""

from socket import MSG_PEEK
from typing import Any

from gunicorn.workers.gthread import TConn

from .answer import Answer, StreamSeats
from .arriving_request import ArrivingRequest


class Connection(TConn):  # type: ignore[misc] # gunicorn has no types
    def __init__(self, *arguments: Any, seats: StreamSeats) -> None:
        super().__init__(*arguments)
        self.seats = seats
        self.data_ready = True  # no thread has to wait for it
        self.request = ArrivingRequest()
        self.answer = Answer(self.sock, seats)
        self.stays = False  # for another request, once the answer is sent
        self.place: Waiting | None = None
        # What it holds of the worker's memory.
        self.counted = 0
        self.answer_counted = 0

    def init(self) -> None:
        """gunicorn calls this in a thread, at the start of each request."""
        super().init()
        # The whole request is here, and nobody waits for the client to read its answer.
        self.sock.setblocking(False)
        self.parser.unreader.unread(bytes(self.request.received))
        self.request.received.clear()

    def begin_answer(self) -> "Answering":
        self.answer = Answer(self.sock, self.seats, body_refused=self.request.body_refused)
        return Answering(self)

    def has_hung_up(self) -> bool:
        try:
            return not self.sock.recv(1, MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True

    def close(self, graceful: bool = False) -> None:
        self.answer.close()
        super().close(graceful)


class Answering:
    def __init__(self, conn: Connection) -> None:
        self.sock, self.client, self.server = conn.answer, conn.client, conn.server


# Connections in the order of their deadlines; a dict, since any of them may be removed.
Waiting = dict[Connection, None]
