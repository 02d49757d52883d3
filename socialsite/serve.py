"""The whole site from one command: stores first, then the processes that use them."""

import contextlib
import signal
import socket
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from types import FrameType
from typing import NoReturn

import redis
from django.conf import settings
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections

from redistools.client import MINIMUM_VERSION, get_client, server_version
from redistools.lock import LockNotAcquired

from . import embedded_redis, migrating
from .data_folder import held_data_folder
from .env import is_loopback
from .supervisor import Supervisor, say

READY_SECONDS = 60.0


class ServeError(Exception):
    """The site can't start; the message says what to do."""


def serve() -> None:
    """Run the site until SIGINT or SIGTERM."""
    with (
        stop_signals(),
        contextlib.suppress(KeyboardInterrupt),
        held_data_folder(settings.DATA_DIR) as in_use,
    ):
        check_ports()
        warn_of_open_ports()
        run(Supervisor(settings.BASE_DIR, inherited=(in_use,)))


def run(supervisor: Supervisor) -> None:
    try:
        start_redis(supervisor)
        check_redis()
        migrate()
        collect_static_files()
        start_processes(supervisor)
        wait_until_healthy(supervisor)
        print_addresses()
        supervisor.watch()
    except KeyboardInterrupt:
        say("serve", "stopping …")
    finally:
        stop(supervisor)


def check_ports() -> None:
    if settings.PORT == settings.STREAM_PORT:
        raise ServeError(f"PORT and STREAM_PORT must differ, both are {settings.PORT}")
    for name, port in (("PORT", settings.PORT), ("STREAM_PORT", settings.STREAM_PORT)):
        with socket.socket(_address_family(), socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((settings.HOST, port))
            except OSError as error:
                raise ServeError(
                    f"{name} {port} on {settings.HOST} can't be used ({error.strerror}): "
                    f"stop what uses it, or choose another, as in {name}={port + 10} make run"
                ) from error


def warn_of_open_ports() -> None:
    """Our own servers are robust, but a proxy does more: TLS, large numbers of clients."""
    if not is_loopback(settings.HOST) and not settings.TRUSTED_PROXIES:
        say(
            "serve",
            f"HOST {settings.HOST} lets other machines in, and no proxy is declared: for more than "
            "a home network put one in front (deploy/nginx.conf) and set TRUSTED_PROXIES",
        )


def _address_family() -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in settings.HOST else socket.AF_INET


@contextlib.contextmanager
def stop_signals() -> Iterator[None]:
    """SIGTERM ends the block the way Ctrl-C does."""

    def interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
        raise KeyboardInterrupt

    before = {
        number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def start_redis(supervisor: Supervisor) -> None:
    if not settings.EMBEDDED_REDIS:
        return
    if embedded_redis.answers(settings.REDIS_SOCKET):
        say("serve", "stopping a Redis that an earlier run left behind")
        embedded_redis.shut_down(settings.REDIS_SOCKET)
    command = embedded_redis.command(settings.REDIS_SOCKET)
    process = supervisor.start("redis", command, is_store=True)
    embedded_redis.wait_until_ready(settings.REDIS_SOCKET, process)


def check_redis() -> None:
    try:
        version = server_version(get_client())
    except (redis.RedisError, OSError) as error:
        raise _no_redis(error) from error
    written = ".".join(map(str, version))
    if version < MINIMUM_VERSION:
        needed = ".".join(map(str, MINIMUM_VERSION))
        raise ServeError(f"Redis {written} is too old: install {needed} or newer")
    kind = "embedded" if settings.EMBEDDED_REDIS else "from REDIS_URL"
    say("redis", f"ready, version {written} ({kind})")


def _no_redis(error: Exception) -> ServeError:
    return ServeError(
        f"Redis does not answer ({_one_line(error)}): start it, fix REDIS_URL, "
        "or unset REDIS_URL to use the embedded one"
    )


def migrate() -> None:
    try:
        applied = migrating.migrate()
    except DatabaseError as error:
        raise ServeError(
            f"The database can't be used ({_one_line(error)}): "
            "start it, make room on its disk, or fix DATABASE_URL"
        ) from error
    except redis.RedisError as error:
        raise _no_redis(error) from error
    except LockNotAcquired as error:
        raise ServeError(
            f"Another host has been migrating for {migrating.PATIENCE_SECONDS:g} s: "
            "see what it is doing"
        ) from error
    finally:
        connections[DEFAULT_DB_ALIAS].close()
    say("database", f"{applied} migrations applied" if applied else "ready, up to date")


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def collect_static_files() -> None:
    try:
        call_command("collectstatic", interactive=False, verbosity=0)
    except OSError as error:
        raise ServeError(
            f"The static files can't be collected in {settings.STATIC_ROOT} ({error.strerror}): "
            "make room on its disk, or give the user write permission"
        ) from error
    say("static", "files collected")


def start_processes(supervisor: Supervisor) -> None:
    gunicorn = [sys.executable, "-m", "gunicorn", "--no-control-socket", "--log-level", "warning"]
    threads = ["--worker-class", "socialsite.server.web_worker.WebWorker"]
    threads += ["--threads", str(settings.WEB_THREADS)]
    # Longer than browsers and proxies keep connections, so that we never hang up mid-request.
    threads += ["--keep-alive", "75"]
    # Less than the supervisor waits before it kills.
    threads += ["--graceful-timeout", "20"]
    workers = ["--workers", str(settings.WEB_WORKERS)]
    web = [*gunicorn, *workers, *threads, "--bind", _bind(settings.PORT), "socialsite.wsgi"]
    streaming = [*gunicorn, "--worker-class", "asgi", "--bind", _bind(settings.STREAM_PORT)]
    # Streams end at once; we would wait only for a client that never reads.
    streaming += ["--graceful-timeout", "10", "--workers", str(settings.STREAM_WORKERS)]
    supervisor.start("web", web)
    supervisor.start("streaming", [*streaming, "socialsite.asgi"])
    supervisor.start("worker", [sys.executable, "manage.py", "worker"])


def _bind(port: int) -> str:
    return f"[{settings.HOST}]:{port}" if ":" in settings.HOST else f"{settings.HOST}:{port}"


def wait_until_healthy(supervisor: Supervisor) -> None:
    """A site that can't come up says so and stops, instead of restarting for ever."""
    deadline = time.monotonic() + READY_SECONDS
    for port in (settings.PORT, settings.STREAM_PORT):
        while not _is_healthy(port):
            if dead := supervisor.first_dead():
                raise ServeError(f"{dead.name} did not start: its output above says why")
            if time.monotonic() > deadline:
                raise ServeError(f"Port {port} did not become healthy in {READY_SECONDS:g} s")
            time.sleep(0.05)


def _is_healthy(port: int) -> bool:
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.HOST, settings.HOST)  # noqa: S104
    host = f"[{host}]" if ":" in host else host
    request = urllib.request.Request(
        f"http://{host}:{port}/healthz", headers={"Host": settings.ALLOWED_HOSTS[0].lstrip("*.")}
    )
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:  # noqa: S310 - our own address
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def print_addresses() -> None:
    host = "localhost" if settings.HOST in ("127.0.0.1", "0.0.0.0", "::", "::1") else settings.HOST  # noqa: S104
    say("serve", f"the site is at    http://{host}:{settings.PORT}")
    say("serve", f"its streams at    http://{host}:{settings.STREAM_PORT}")
    say("serve", "Ctrl-C stops it")


def stop(supervisor: Supervisor) -> None:
    if not supervisor.children:
        return
    try:
        with stop_signals():
            supervisor.stop()
    except KeyboardInterrupt:
        supervisor.kill()
        say("serve", "killed")
    else:
        say("serve", "stopped")
