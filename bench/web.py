"""Real web servers, started with the same command as `manage.py serve` uses."""

import contextlib
import socket
import time
from collections.abc import Iterator
from functools import cache

from django.test import Client, override_settings

from bench.frame import Stage, running
from processes import roles
from users.models import User

START_SECONDS = 60.0


def web_command(port: int) -> list[str]:
    with override_settings(HOST="127.0.0.1", PORT=port):
        return roles.command(roles.WEB)


@contextlib.contextmanager
def web_server(stage: Stage, settings_module: str, **environment: str) -> Iterator[int]:
    """Yields the port, once it answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    log = stage.folder / f"{settings_module}.log"
    with running(web_command(port), log, environment | {"DJANGO_SETTINGS_MODULE": settings_module}):
        wait_until_open(port)
        yield port


def wait_until_open(port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return


def cookies_of(user: User) -> str:
    """What a browser sends once it has logged in and seen a page."""
    client = _browser()
    client.cookies.clear()
    client.force_login(user)
    client.get("/", headers={"host": "localhost"})
    return "; ".join(f"{name}={cookie.value}" for name, cookie in client.cookies.items())


@cache
def _browser() -> Client:
    """One for all: each that is made looks through the static files."""
    return Client()
