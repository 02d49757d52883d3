"""The real `manage.py serve` in a temporary data folder on free ports."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import psutil
import redis
from django.conf import settings

from tests import postgres
from tests.console import Console
from tests.ports import free_ports

START_SECONDS = 180


def wait_for(condition: Callable[[], object], *, seconds: float = 60, what: str = "") -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited {seconds} s in vain for {what or condition}"
        time.sleep(0.02)


def site_environment(data_dir: Path, **changes: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    for name in ("LD_LIBRARY_PATH", "VIRTUAL_ENV", "REDIS_SERVER"):
        if name in os.environ:
            kept[name] = os.environ[name]
    own = {"SOCIALSITE_DATA_DIR": str(data_dir), "SOCIALSITE_ENV_FILE": os.devnull}
    if postgres.is_wanted():
        own["DATABASE_URL"] = postgres.url_of(data_dir.name)
    return kept | own | changes


class RunningSite:
    """One `serve` process and what it has printed so far."""

    def __init__(self, data_dir: Path, *arguments: str, **environment: str) -> None:
        self.port, self.stream_port = free_ports(2)
        self.url = f"http://127.0.0.1:{self.port}"
        self.stream_url = f"http://127.0.0.1:{self.stream_port}"
        self.environment = site_environment(
            data_dir, PORT=str(self.port), STREAM_PORT=str(self.stream_port), **environment
        )
        self.output = ""
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "serve", *arguments],
            cwd=settings.BASE_DIR,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._console: Console | None = None

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                self.output += line

    def wait_until_ready(self) -> None:
        def ready() -> bool:
            assert self.process.poll() is None, self.output
            return "Ctrl-C stops it" in self.output

        wait_for(ready, seconds=START_SECONDS, what="serve to say that it runs")

    def children(self) -> list[psutil.Process]:
        """Every process below serve, at any depth."""
        return psutil.Process(self.process.pid).children(recursive=True)

    def child(self, *words: str) -> psutil.Process:
        """The direct child whose command line has all the words."""
        for child in psutil.Process(self.process.pid).children():
            command = " ".join(child.cmdline())
            if all(word in command for word in words):
                return child
        raise LookupError(f"no child with {words} in {self.output}")

    def is_healthy(self) -> bool:
        try:
            answers = [httpx.get(f"{url}/healthz") for url in (self.url, self.stream_url)]
        except httpx.TransportError:
            return False
        return all(answer.status_code == 200 for answer in answers)

    def manage(
        self, *arguments: str, input: str | None = None
    ) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=settings.BASE_DIR,
            env=self.environment,
            capture_output=True,
            text=True,
            input=input,
            timeout=480,
            check=False,
        )

    def run(self, code: str) -> str:
        """What this Python prints inside of the site."""
        if self._console is None:
            self._console = Console(self.environment)
        return self._console.run(code)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        if self._console is not None:
            self._console.close()
        self.process.send_signal(number)
        code = self.process.wait(timeout=40)
        self._reader.join(timeout=10)
        assert "did not stop within" not in self.output, self.output
        return code


class ReturningSite:
    """One data folder and the `serve` that runs on it: a new one whenever the last was stopped."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.folder = folder
        self._environment = environment
        self._site: RunningSite | None = None

    def running(self) -> RunningSite:
        if self._site is None or self._site.process.poll() is not None:
            self._site = self.start()
            self._site.wait_until_ready()
        return self._site

    def start(self) -> RunningSite:
        """After the last one ended."""
        self._site = RunningSite(self.folder, **self._environment)
        return self._site

    def redis(self) -> redis.Redis:
        return redis.Redis(unix_socket_path=str(self.folder / "redis" / "redis.sock"))

    def end(self) -> None:
        if self._site is not None and self._site.process.poll() is None:
            self._site.stop()


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    """Short, unlike pytest's tmp_path: a unix socket's path has room for about 100 characters."""
    folder = Path(tempfile.mkdtemp(prefix="site-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def copy_prepared(database: Path, folder: Path) -> None:
    """Leaves a start in this folder nothing to migrate or to collect."""
    shutil.copy(database, folder)
    shutil.copy(database.with_name("collecting"), folder)
    (folder / "static").symlink_to(database.with_name("static"))


@contextlib.contextmanager
def running_site(database: Path | None = None, **environment: str) -> Iterator[RunningSite]:
    with temporary_folder() as folder:
        if database:
            copy_prepared(database, folder)
        site = RunningSite(folder, **environment)
        try:
            site.wait_until_ready()
            yield site
        finally:
            if site.process.poll() is None:
                site.stop()
