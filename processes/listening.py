"""A port that outlives the processes behind it, so that a new one can take over from an old one.

They all accept from one socket: connections that one leaves behind wait for the next. With a
socket each (SO_REUSEPORT), those would be reset.
"""

import socket

# As gunicorn's.
BACKLOG = 2048


class Listener:
    def __init__(self, host: str, port: int) -> None:
        self.address = (host, port)
        self._socket: socket.socket | None = None

    def open(self) -> int:
        """The file to hand to a process. Raises OSError if somebody else has the port."""
        if self._socket is None:
            self._socket = bound(*self.address)
            self._socket.listen(BACKLOG)
        return self._socket.fileno()

    def close(self) -> None:
        """Refuse new clients at once, as soon as the processes close it too."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None


def bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
    except OSError:
        made.close()
        raise
    return made
