"""What gunicorn can't take on its command line; it reads this file from its working folder."""

import contextlib
import signal
import socket
from typing import Any

# The most that gunicorn allows for pages. Streams that need more are asked for with a form.
limit_request_line = 8_190
# By default, proxies may send `SCRIPT_NAME`, which comes before all our links. Not every proxy
# drops one that a client has sent.
forwarder_headers = ""
# A client that takes nothing for this long is gone, or might as well be. Without a limit, the last
# bytes written to it would keep its connection open for ever. Streams are closed long before
# (`streaming.engine.writer.STALL_SECONDS`): a reset by the kernel would lose the goodbye.
UNREAD = (socket.IPPROTO_TCP, "TCP_USER_TIMEOUT", 90_000)
STREAM_OPTIONS = (
    UNREAD,
    # The kernel would hold megabytes for a stream that nobody reads, and hide from us that it lags.
    (socket.SOL_SOCKET, "SO_SNDBUF", 131_072),
    # For the same reason it takes no more while there is something that it can't send.
    (socket.IPPROTO_TCP, "TCP_NOTSENT_LOWAT", 1),
)
PAGE_OPTIONS = (
    UNREAD,
    # A page is handed over whole, so that no thread waits for a client to read it.
    (socket.SOL_SOCKET, "SO_SNDBUF", 524_288),
    # Linux hands over connections with their first request: a process that is busy then leaves it
    # to the others. A second later they come without.
    (socket.IPPROTO_TCP, "TCP_DEFER_ACCEPT", 1),
)
# When streams stop: how long requests that were accepted already may take to arrive.
LAST_CALL_SECONDS = 0.5


def when_ready(server: Any) -> None:
    """Connections inherit these options from the socket that accepts them."""
    options = STREAM_OPTIONS if server.cfg.worker_class_str == "asgi" else PAGE_OPTIONS
    for listener in server.LISTENERS:
        with contextlib.suppress(OSError, AttributeError):  # no TCP, or not on Linux
            for level, name, value in options:
                listener.sock.setsockopt(level, getattr(socket, name), value)


def post_worker_init(worker: Any) -> None:
    if hasattr(worker, "asgi"):
        _stop_streams_with(worker)


def _stop_streams_with(worker: Any) -> None:
    """gunicorn lets open requests finish before it stops, and streams never do.

    First we close our part of the port. Clients that we have accepted get their answer, and only
    then do streams end.
    """
    # Not above: pages have no use for them.
    from gunicorn.workers import gasgi

    from streaming.server.protocol import StreamProtocol

    # There is no setting for the protocol; the worker looks it up here when it begins to listen.
    gasgi.ASGIProtocol = StreamProtocol

    def stop() -> None:
        worker.handle_exit_signal()
        for server in worker.servers:
            server.close()
        worker.loop.call_later(LAST_CALL_SECONDS, worker.asgi.stop)

    worker.loop.add_signal_handler(signal.SIGTERM, stop)
