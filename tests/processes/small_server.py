"""A real gunicorn with our worker class, two threads and a small application."""

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack

import httpx
from django.conf import settings

from tests.ports import free_ports
from tests.running_site import wait_for
from web.body_limits import LONGEST_BODY

THREADS = 2
FORM_HEAD = b"POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: %d\r\n\r\n"
UPLOAD_HEAD = FORM_HEAD.replace(
    b"\r\n\r\n",
    b"\r\nContent-Type: multipart/form-data; boundary=x\r\nX-Uploader: alice\r\n\r\n",
)
UPLOAD = 2 * LONGEST_BODY
GET = b"GET %s HTTP/1.1\r\nHost: a.example\r\n\r\n"


class Server:
    def __init__(self, worker: str) -> None:
        self.port = free_ports(1)[0]
        self.url = f"http://127.0.0.1:{self.port}"
        command = [sys.executable, "-m", "gunicorn", "--no-control-socket", "--keep-alive", "75"]
        command += ["--worker-class", f"tests.processes.small_wsgi.{worker}", "--log-level"]
        command += ["warning", "--threads", str(THREADS), "--bind", f"127.0.0.1:{self.port}"]
        self.process = subprocess.Popen(
            [*command, "tests.processes.small_wsgi"],
            cwd=settings.BASE_DIR,
            env={"PATH": os.environ["PATH"]},
        )

    def answers(self) -> bool:
        with contextlib.suppress(httpx.TransportError):
            return httpx.get(self.url, timeout=2).status_code == 200
        return False

    def connect(self, stack: ExitStack) -> socket.socket:
        return stack.enter_context(socket.create_connection(("127.0.0.1", self.port), timeout=30))

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise


@contextlib.contextmanager
def running(worker: str = "QuickWorker") -> Iterator[Server]:
    server = Server(worker)
    try:
        wait_for(server.answers, what="gunicorn to answer")
        yield server
    finally:
        if server.process.poll() is None:
            server.stop()


def everything(connection: socket.socket) -> bytes:
    """Everything until the server hangs up."""
    received = bytearray()  # megabytes: bytes would be copied with every part that comes
    with contextlib.suppress(ConnectionResetError):
        while some := connection.recv(1 << 16):
            received += some
    return bytes(received)


def one_answer(connection: socket.socket) -> bytes:
    received = b""
    while not received.endswith(b" bytes"):
        received += connection.recv(1000)
    return received


def body_of(answer: bytes) -> bytes:
    return answer.partition(b"\r\n\r\n")[2]
