"""Two stream servers that clients can be sent to: ours, and one with a thread for each client."""

import contextlib
import sys
from collections.abc import Iterator
from typing import NamedTuple

import httpx
import psutil

from access.tokens import create_token
from bench.frame import Stage, running
from bench.stream_load import Publish, publish_events, publish_plainly
from bench.web import wait_until_open
from tests.ports import free_ports
from tests.running_site import wait_for
from users.models import User

UNLIMITED = {
    "STREAM_CONNECTIONS_PER_TOKEN": "1000000",
    "STREAM_CONNECTIONS_PER_USER": "1000000",
    "STREAM_CONNECTS_PER_MINUTE": "1000000",
    "STREAM_STATUSES_PER_SECOND": "0",
}


class Server(NamedTuple):
    port: int
    token: str
    process: psutil.Process
    publish: Publish

    @property
    def memory(self) -> int:
        """Bytes that the process holds."""
        return int(self.process.memory_info().rss)


def make_token() -> str:
    user = User.objects.create(username="bench", email="bench@example.com", password="!")
    return create_token(user=user, name="bench")[1]


@contextlib.contextmanager
def our_server(stage: Stage, token: str) -> Iterator[Server]:
    (port,) = free_ports(1)
    command = [sys.executable, "-m", "gunicorn", "--no-control-socket", "-k", "asgi"]
    command += ["--log-level", "warning", "--backlog", "8192", "--bind", f"127.0.0.1:{port}"]
    log = stage.folder / "stream.log"
    with running([*command, "socialsite.asgi"], log, UNLIMITED):
        # Gunicorn listens before its worker has subscribed, and turns clients away until then.
        wait_for(lambda: _is_healthy(port), seconds=60, what="the stream server")
        yield Server(port, token, _process_on(port, "gunicorn"), publish_events)


@contextlib.contextmanager
def threaded_server(stage: Stage) -> Iterator[Server]:
    (port,) = free_ports(1)
    command = [sys.executable, "-m", "bench.stream_threads", str(port)]
    with running(command, stage.folder / "threads.log", {}):
        wait_until_open(port)
        yield Server(port, "", _process_on(port, "stream_threads"), publish_plainly)


def _is_healthy(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=10).status_code == 200
    except httpx.TransportError:
        return False


def _process_on(port: int, word: str) -> psutil.Process:
    """The process that holds the clients: gunicorn's worker, not its master."""
    for child in psutil.Process().children():
        command = " ".join(child.cmdline())
        if word in command and str(port) in command:
            return next(iter(child.children()), child)
    raise RuntimeError(f"no {word} listens on {port}")
