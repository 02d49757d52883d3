"""The whole site from one command: stores first, then the processes that use them."""

import contextlib
import signal
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from types import FrameType
from typing import NoReturn

import redis
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections

from demo import writing
from demo.people import GUEST, PASSWORD
from insight.recording import sending
from redistools.client import MINIMUM_VERSION, get_client, server_version
from redistools.lock import LockNotAcquired
from search.index.window.server import what_is_wrong
from socialsite import key_fingerprint
from socialsite.env import is_loopback
from staff import first_administrator
from staff.services import set_rights
from users.models import User

from . import collecting, embedded_redis, migrating, roles
from .data_folder import held_data_folder
from .roles import ROLES, Roles
from .supervisor import Supervisor, say

READY_SECONDS = 60.0


class ServeError(Exception):
    """The site can't start; the message says what to do."""


def serve(wanted: Roles = ROLES) -> None:
    """Runs the site, or this host's part of it, until SIGINT or SIGTERM. SIGUSR2 reloads it."""
    with stop_signals(), contextlib.suppress(KeyboardInterrupt), held_parts(wanted) as in_use:
        check_ports(wanted)
        warn_of_open_ports()
        run(Supervisor(settings.BASE_DIR, inherited=in_use), wanted)


def run(supervisor: Supervisor, wanted: Roles) -> None:
    try:
        with reload_signal(supervisor):
            start_redis(supervisor)
            prepare()
            start_processes(supervisor, wanted)
            wait_until_healthy(supervisor, wanted)
            print_addresses(wanted)
            sending.start(speaker="serve")
            supervisor.watch()
    except KeyboardInterrupt:
        say("serve", "stopping …")
    finally:
        stop(supervisor)


@contextlib.contextmanager
def held_parts(wanted: Roles) -> Iterator[tuple[int, ...]]:
    """The whole data folder if the stores are in it; otherwise each role of this host."""
    with contextlib.ExitStack() as stack:
        if has_own_stores():
            if wanted != ROLES:
                raise ServeError(
                    f"--only {','.join(wanted)} leaves work to others, who can't use the stores in "
                    "our data folder: set DATABASE_URL and REDIS_URL, or leave --only out"
                )
            yield (stack.enter_context(held_data_folder(settings.DATA_DIR)),)
        else:
            held = [held_data_folder(settings.DATA_DIR, role) for role in wanted]
            yield tuple(map(stack.enter_context, held))


def has_own_stores() -> bool:
    return bool(settings.EMBEDDED_REDIS or not settings.DATABASE_URL)


def prepare() -> None:
    """What the processes need before they start. Hosts may do it at the same time."""
    check_redis()
    migrate()
    check_secret_key()
    set_rights_of_staff()
    collect_static_files()


def check_ports(wanted: Roles) -> None:
    ports = roles.ports(wanted)
    if len(set(ports.values())) < len(ports):
        raise ServeError(f"PORT and STREAM_PORT must differ, both are {settings.PORT}")
    for name, port in ports.items():
        try:
            _try_to_bind(settings.HOST, port)
        except OSError as error:
            raise ServeError(
                f"{name} {port} on {settings.HOST} can't be used ({error.strerror}): "
                f"stop what uses it, or choose another, as in {name}={port + 10} make run"
            ) from error


def _try_to_bind(host: str, port: int) -> None:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((host, port))


def warn_of_open_ports() -> None:
    """Our own servers are robust, but a proxy does more: TLS, large numbers of clients."""
    if not is_loopback(settings.HOST) and not settings.TRUSTED_PROXIES:
        say(
            "serve",
            f"HOST {settings.HOST} lets other machines in, and no proxy is declared: for more than "
            "a home network put one in front (deploy/nginx.conf) and set TRUSTED_PROXIES",
        )


@contextlib.contextmanager
def handling(handler: Callable[..., object], *numbers: signal.Signals) -> Iterator[None]:
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, former)


def stop_signals() -> contextlib.AbstractContextManager[None]:
    """SIGTERM ends the block the way Ctrl-C does."""

    def interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
        raise KeyboardInterrupt

    return handling(interrupt, signal.SIGINT, signal.SIGTERM)


def reload_signal(supervisor: Supervisor) -> contextlib.AbstractContextManager[None]:
    """Not SIGHUP, which a terminal sends when it is closed."""
    return handling(lambda *_: supervisor.reload(), signal.SIGUSR2)


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
    if settings.SEARCH_WINDOW and (wrong := what_is_wrong(get_client())):
        say("redis", wrong)


def _no_redis(error: Exception) -> ServeError:
    return ServeError(
        f"Redis does not answer ({_one_line(error)}): start it, fix REDIS_URL, "
        "or unset REDIS_URL to use the embedded one"
    )


@contextlib.contextmanager
def database() -> Iterator[None]:
    """For a moment: afterwards `serve` itself needs none."""
    try:
        yield
    except DatabaseError as error:
        raise ServeError(
            f"The database can't be used ({_one_line(error)}): "
            "start it, make room on its disk, or fix DATABASE_URL"
        ) from error
    finally:
        connections[DEFAULT_DB_ALIAS].close()


def migrate() -> None:
    try:
        with database():
            applied = migrating.migrate()
    except redis.RedisError as error:
        raise _no_redis(error) from error
    except LockNotAcquired as error:
        raise ServeError(
            f"Another host has been migrating for {migrating.PATIENCE_SECONDS:g} s: "
            "see what it is doing"
        ) from error
    say("database", f"{applied} migrations applied" if applied else "ready, up to date")


def check_secret_key() -> None:
    try:
        with database():
            key_fingerprint.check_key()
    except key_fingerprint.OtherKey as error:
        raise ServeError(str(error)) from error


def set_rights_of_staff() -> None:
    """A new version may let a role do more, or less."""
    with database():
        set_rights()


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def collect_static_files() -> None:
    try:
        collecting.collect()
    except OSError as error:
        raise ServeError(
            f"The static files can't be collected in {settings.STATIC_ROOT} ({error.strerror}): "
            "make room on its disk, or give the user write permission"
        ) from error
    say("static", "files collected")


def start_processes(supervisor: Supervisor, wanted: Roles) -> None:
    for role in wanted:
        supervisor.start(role, roles.command(role), reloads=role in roles.GUNICORNS)


def wait_until_healthy(supervisor: Supervisor, wanted: Roles) -> None:
    """A site that can't come up says so and stops, instead of restarting for ever."""
    deadline = time.monotonic() + READY_SECONDS
    for port in roles.ports(wanted).values():
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


def print_addresses(wanted: Roles) -> None:
    host = "localhost" if settings.HOST in ("127.0.0.1", "0.0.0.0", "::", "::1") else settings.HOST  # noqa: S104
    if roles.WEB in wanted:
        say("serve", f"the site is at    http://{host}:{settings.PORT}")
    if roles.STREAMS in wanted:
        say("serve", f"its streams at    http://{host}:{settings.STREAM_PORT}")
    if roles.WEB in wanted:
        print_ways_in()
    if wanted != ROLES:
        say("serve", f"runs only         {', '.join(wanted)}")
    connections.close_all()
    say("serve", "Ctrl-C stops it")


def print_ways_in() -> None:
    if writing.is_there():
        say("serve", f'log in as         {GUEST}, with the password "{PASSWORD}"')
    elif link := first_administrator.link():
        say("serve", f"begin with        {link}")
        say(
            "serve",
            "                  (who signs up there is the administrator, once)",
        )
    elif not User.objects.filter(is_superuser=True).exists():
        say("serve", "make admin        creates an administrator")


def stop(supervisor: Supervisor) -> None:
    sending.stop()
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
