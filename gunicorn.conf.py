"""What gunicorn can't be told on its command line; it reads this file from its working folder."""

import contextlib
import signal
import socket
from typing import Any

# A client that takes nothing for so long is gone, or might as well be. Without this, what was
# written to it last would keep its connection open for ever.
UNREAD_MILLISECONDS = 30_000
# The kernel would hold megabytes for a stream that nobody reads, and hide from us that it lags.
STREAM_BUFFER_BYTES = 131_072
# A page is handed over whole, so that no thread waits for a client to read it.
PAGE_BUFFER_BYTES = 524_288


def when_ready(server: Any) -> None:
    """Connections inherit these options from the socket that accepts them."""
    streams = server.cfg.worker_class_str == "asgi"
    size = STREAM_BUFFER_BYTES if streams else PAGE_BUFFER_BYTES
    if not streams:
        _defer_accept(server.LISTENERS)
    for listener in server.LISTENERS:
        with contextlib.suppress(OSError, AttributeError):  # no TCP, or not on Linux
            listener.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, size)
            listener.sock.setsockopt(
                socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_MILLISECONDS
            )


def _defer_accept(listeners: Any) -> None:
    """Let Linux hand over connections with their first request: a process that is busy then leaves
    it to the others. A second later they come without."""
    for listener in listeners:
        with contextlib.suppress(OSError, AttributeError):
            listener.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_DEFER_ACCEPT, 1)


def post_worker_init(worker: Any) -> None:
    """gunicorn lets open requests finish before it stops, and streams never do: tell them."""
    if not hasattr(worker, "asgi"):
        return

    def stop() -> None:
        worker.handle_exit_signal()
        worker.asgi.stop()

    worker.loop.add_signal_handler(signal.SIGTERM, stop)
