"""What a `serve` does for the site: several hosts share the work by their roles."""

import sys

from django.conf import settings

WEB, STREAMS, WORKER = ROLES = ("web", "streams", "worker")
GUNICORNS = (WEB, STREAMS)
Roles = tuple[str, ...]


class UnknownRole(Exception):  # noqa: N818 - reads better
    pass


def parse_roles(text: str) -> Roles:
    """`web,worker`, in our order. Raises UnknownRole, which says what would be right."""
    names = {name.strip() for name in text.split(",") if name.strip()}
    if not names or names - set(ROLES):
        raise UnknownRole(f"--only must be some of {','.join(ROLES)}, got {text!r}")
    return tuple(role for role in ROLES if role in names)


def ports(roles: Roles) -> dict[str, int]:
    wanted = {WEB: ("PORT", settings.PORT), STREAMS: ("STREAM_PORT", settings.STREAM_PORT)}
    return dict(wanted[role] for role in roles if role in wanted)


def command(role: str) -> list[str]:
    return {WEB: _web, STREAMS: _streams, WORKER: _worker}[role]()


def _web() -> list[str]:
    threads = ["--worker-class", "processes.server.web_worker.WebWorker"]
    threads += ["--threads", str(settings.WEB_THREADS)]
    # Longer than browsers and proxies keep connections, so that we never hang up mid-request.
    threads += ["--keep-alive", "75"]
    # Less than the supervisor waits before it kills.
    threads += ["--graceful-timeout", "20"]
    return [*_gunicorn(settings.PORT, settings.WEB_WORKERS), *threads, "socialsite.wsgi"]


def _streams() -> list[str]:
    # Streams end at once; we would wait only for a client that never reads.
    streams = ["--worker-class", "asgi", "--graceful-timeout", "10"]
    return [*_gunicorn(settings.STREAM_PORT, settings.STREAM_WORKERS), *streams, "socialsite.asgi"]


def _worker() -> list[str]:
    return [sys.executable, "manage.py", "worker"]


def _gunicorn(port: int, workers: int) -> list[str]:
    gunicorn = [sys.executable, "-m", "gunicorn", "--no-control-socket", "--log-level", "warning"]
    host = f"[{settings.HOST}]" if ":" in settings.HOST else settings.HOST
    return [*gunicorn, "--bind", f"{host}:{port}", "--workers", str(workers)]
