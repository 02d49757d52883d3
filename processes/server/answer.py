"""An answer on its way to a client. No thread waits for anybody to read it.

A thread writes here as if it were the socket. What the socket takes goes out at once; the main loop
sends on what is left (`web_worker`). Bytes are held as they are, files as a descriptor and a place
in it. An answer in pieces, of unknown length, could take any amount of memory: once it is far ahead
of its reader, its thread does wait. A few threads may (`StreamSeats`); beyond, the answer is cut
off.
"""

import errno
import os
import select
from collections import deque
from itertools import islice
from socket import socket
from threading import BoundedSemaphore
from typing import IO, NoReturn, cast

# How far a stream may be ahead of its reader.
MOST_AHEAD = 1024 * 1024
# Smaller ends of files are held as bytes: a process may open only so many files.
SMALL_FILE = 256 * 1024
# At a time, so that one quick reader of a large file does not keep the main loop from the others.
SENT_AT_ONCE = 1024 * 1024
PIECES_AT_ONCE = 64

SHORTER = "the file has become shorter"


class StreamSeats:
    """How many threads may wait for readers of streams, and for how long each."""

    def __init__(self, *, threads: int, seconds: float) -> None:
        self.free = BoundedSemaphore(max(1, threads // 3))
        self.seconds = seconds


class RestOfFile:
    def __init__(self, file: int, place: int, size: int) -> None:
        self.file = os.dup(file)
        self.place = place
        self.size = size

    def send(self, sock: socket) -> int:
        sent = os.sendfile(sock.fileno(), self.file, self.place, min(self.size, SENT_AT_ONCE))
        if not sent:
            raise BrokenPipeError(errno.EPIPE, SHORTER)
        self.place += sent
        self.size -= sent
        return sent

    def close(self) -> None:
        os.close(self.file)


class Answer:
    """What gunicorn takes for the socket. It belongs to one thread at a time."""

    def __init__(self, sock: socket, seats: StreamSeats, *, body_refused: int = 0) -> None:
        self.held = 0  # bytes in memory
        self.body_refused = body_refused
        self._sock = sock
        self._seats = seats
        self._parts: deque[memoryview | RestOfFile] = deque()
        self._is_begun = False

    @property
    def is_sent(self) -> bool:
        return not self._parts

    @property
    def has_file(self) -> bool:
        return any(isinstance(part, RestOfFile) for part in self._parts)

    # For gunicorn, in a thread ----------------------------------------------------------------

    def sendall(self, some: bytes) -> None:
        """Raises BrokenPipeError if this is a stream that nobody reads."""
        if self.held > MOST_AHEAD:
            self._wait_for_reader()
        if some:
            self._parts.append(memoryview(some))
            self.held += len(some)
        # The head goes out with the first piece of the body.
        if self._is_begun:
            self.flush()
        self._is_begun = True

    def sendfile(self, file: IO[bytes], offset: int, count: int) -> None:
        rest = RestOfFile(file.fileno(), offset, count)
        self._parts.append(rest)
        self.flush()
        if 0 < rest.size <= SMALL_FILE:
            self._parts.remove(rest)
            content = os.pread(rest.file, rest.size, rest.place)
            rest.close()
            if len(content) < rest.size:
                raise BrokenPipeError(errno.EPIPE, SHORTER)
            self.sendall(content)

    def send(self, _some: bytes) -> None:
        """Only `100 Continue`, which the main loop has said where it is true."""

    def shutdown(self, _how: int) -> NoReturn:
        """gunicorn gives up on an answer that breaks off. The main loop hangs up."""
        raise OSError(errno.ENOTCONN, "this is left to the main loop")

    def _wait_for_reader(self) -> None:
        if not self._seats.free.acquire(blocking=False):
            raise BrokenPipeError(errno.EPIPE, "too many wait for readers of streams")
        try:
            while self.held > MOST_AHEAD // 2:
                self._wait_until_writable()
                self.flush()
        finally:
            self._seats.free.release()

    def _wait_until_writable(self) -> None:
        poll = select.poll()
        poll.register(self._sock, select.POLLOUT)
        if not poll.poll(self._seats.seconds * 1000):
            raise BrokenPipeError(errno.EPIPE, "the client does not read its answer")

    # For threads and the main loop ------------------------------------------------------------

    def flush(self) -> None:
        """Sends what the socket takes now. Raises OSError if the client has gone."""
        left = SENT_AT_ONCE
        try:
            while self._parts and left > 0:
                left -= self._send_first_parts()
        except BlockingIOError:
            pass

    def close(self) -> None:
        for part in self._parts:
            if isinstance(part, RestOfFile):
                part.close()
        self._parts.clear()
        self.held = 0

    def _send_first_parts(self) -> int:
        first = self._parts[0]
        if isinstance(first, RestOfFile):
            sent = first.send(self._sock)
            if not first.size:
                self._parts.popleft()
                first.close()
            return sent
        sent = self._sock.sendmsg(self._first_bytes())
        self.held -= sent
        self._drop(sent)
        return sent

    def _first_bytes(self) -> list[memoryview]:
        first = []
        for part in islice(self._parts, PIECES_AT_ONCE):
            if isinstance(part, RestOfFile):
                break
            first.append(part)
        return first

    def _drop(self, size: int) -> None:
        while size:
            first = cast("memoryview", self._parts.popleft())
            if len(first) > size:
                self._parts.appendleft(first[size:])
            size -= min(len(first), size)
