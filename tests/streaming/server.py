"""A real stream process on the stores of the test process, and clients that read from it."""

import contextlib
import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import httpx
from django.conf import settings

from tests.migrated import database_url
from tests.ports import free_ports
from tests.running_site import site_environment, wait_for


class StreamServer:
    """One `gunicorn -k asgi`. `prefix` is that of its keys: tests take it on to be heard."""

    def __init__(self, prefix: str, *, workers: str = "1", **environment: str) -> None:
        self.prefix = prefix
        (self.port,) = free_ports(1)
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "gunicorn", "--no-control-socket", "-k", "asgi"),
                *("--log-level", "warning", "--bind", f"127.0.0.1:{self.port}"),
                *("--graceful-timeout", "5", "--workers", workers, "socialsite.asgi"),
            ],
            cwd=settings.BASE_DIR,
            env=self._environment(environment),
        )

    def _environment(self, changes: dict[str, str]) -> dict[str, str]:
        own = {
            "DATABASE_URL": database_url(),
            "REDIS_URL": settings.REDIS_URL,
            "REDIS_KEY_PREFIX": self.prefix,
            "SECRET_KEY": settings.SECRET_KEY,
            "PARTITIONS": str(settings.PARTITIONS),
            "STREAM_CONNECTS_PER_MINUTE": "10000",
            "STREAM_CONNECTIONS_PER_TOKEN": "200",
            "STREAM_CONNECTIONS_PER_USER": "200",
        }
        return site_environment(settings.DATA_DIR, **(own | changes))

    def wait_until_healthy(self) -> None:
        wait_for(lambda: self.health().get("status") == "ok", what="the stream server")

    def health(self) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = httpx.get(f"{self.url}/healthz").json()
        except httpx.TransportError:
            return {}
        return answer

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(timeout=20)


@contextlib.contextmanager
def stream_server(prefix: str, *, workers: str = "1", **environment: str) -> Iterator[StreamServer]:
    server = StreamServer(prefix, workers=workers, **environment)
    try:
        server.wait_until_healthy()
        yield server
    finally:
        if server.process.poll() is None:
            server.stop()


class StreamReader:
    """Reads a stream in a thread of its own until it ends."""

    def __init__(self, server: StreamServer, path: str, token: str, **request: Any) -> None:
        self.messages: list[dict[str, Any]] = []
        self.raw = b""
        self.ended = threading.Event()
        headers = {"Authorization": f"Bearer {token}"} | request.pop("headers", {})
        method = request.pop("method", "GET")
        self._client = httpx.Client(base_url=server.url, timeout=60)
        self._stream = self._client.stream(method, path, headers=headers, **request)
        self.response = self._stream.__enter__()
        if self.response.status_code != 200:
            self.response.read()
            self.ended.set()
            return
        self._chunks = self.response.iter_raw()
        self.raw += next(self._chunks)
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        rest = self.raw
        with contextlib.suppress(httpx.TransportError):
            for chunk in self._chunks:
                self.raw += chunk
                *lines, rest = (rest + chunk).split(b"\r\n")
                self.messages += [json.loads(line) for line in lines if line.startswith(b"{")]
        self.ended.set()

    @property
    def ids(self) -> list[int]:
        return [message["id"] for message in self.messages if "text" in message]

    @property
    def deleted(self) -> list[int]:
        return [m["delete"]["status"]["id"] for m in self.messages if "delete" in m]

    @property
    def goodbye(self) -> int | None:
        codes = [m["disconnect"]["code"] for m in self.messages if "disconnect" in m]
        return codes[0] if codes else None

    def wait(self, condition: Callable[["StreamReader"], object], seconds: float = 10) -> None:
        wait_for(lambda: condition(self), seconds=seconds, what=f"{self.messages[-3:]}")

    def close(self) -> None:
        self._stream.__exit__(None, None, None)
        self._client.close()
