"""What gunicorn can't be told on its command line; it reads this file from its working folder."""

import contextlib
import signal
import socket
from typing import Any

# The most that gunicorn allows for pages. Streams that need more are asked for with a form.
limit_request_line = 8_190
# A client that takes nothing for so long is gone, or might as well be. Without this, what was
# written to it last would keep its connection open for ever. It is told long before
# (`streaming.client.STALL_SECONDS`): a reset by the kernel would take the goodbye away.
UNREAD_MILLISECONDS = 90_000
# The kernel would hold megabytes for a client that does not read, and hide from us that it lags.
KERNEL_BUFFER_BYTES = 131_072
# For the same reason it takes no more while there is something that it can't send.
KERNEL_UNSENT_BYTES = 1


def when_ready(server: Any) -> None:
    """Connections inherit these options from the socket that accepts them."""
    if server.cfg.worker_class_str != "asgi":
        return
    for listener in server.LISTENERS:
        with contextlib.suppress(OSError, AttributeError):  # no TCP, or not on Linux
            listener.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, KERNEL_BUFFER_BYTES)
            listener.sock.setsockopt(
                socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_MILLISECONDS
            )
            listener.sock.setsockopt(
                socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, KERNEL_UNSENT_BYTES
            )


def post_worker_init(worker: Any) -> None:
    """gunicorn lets open requests finish before it stops, and streams never do: tell them."""
    if not hasattr(worker, "asgi"):
        return
    # Not above: pages have no use for them.
    from gunicorn.workers import gasgi

    from streaming.protocol import StreamProtocol

    # There is no setting for the protocol; the worker looks it up here when it begins to listen.
    gasgi.ASGIProtocol = StreamProtocol

    def stop() -> None:
        worker.handle_exit_signal()
        worker.asgi.stop()

    worker.loop.add_signal_handler(signal.SIGTERM, stop)
