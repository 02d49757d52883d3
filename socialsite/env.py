"""Typed reading of the environment: a missing value means the default, a bad one a clear error."""

import ipaddress
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

TRUE = ("1", "true", "yes", "on")
SUPPORTED_DATABASES = ("postgres", "postgresql", "sqlite")
# The kernel would try to reach a host for minutes, and keep a connection to one that vanished for
# hours.
POSTGRES_OPTIONS = {
    "connect_timeout": 5,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
FALSE = ("0", "false", "no", "off", "")

# Every variable that the settings read; a test compares it with docs/settings.md.
declared: set[str] = set()


def _read(name: str) -> str | None:
    declared.add(name)
    return os.environ.get(name)


def text(name: str, default: str) -> str:
    value = _read(name)
    return default if value is None or value == "" else value


def optional_text(name: str) -> str | None:
    return _read(name) or None


def integer(name: str, default: int, *, minimum: int = 1, maximum: int) -> int:
    value = _read(name)
    if value is None or value == "":
        return default
    try:
        number = int(value)
    except ValueError:
        number = minimum - 1
    if not minimum <= number <= maximum:
        wanted = f"a number from {minimum} to {maximum}"
        raise ImproperlyConfigured(f"{name} must be {wanted}, got {value!r}")
    return number


def optional_integer(name: str, *, minimum: int = 1, maximum: int) -> int | None:
    if not _read(name):
        return None
    return integer(name, minimum, minimum=minimum, maximum=maximum)


def boolean(name: str, default: bool) -> bool:
    value = _read(name)
    if value is None:
        return default
    if value.lower() in TRUE:
        return True
    if value.lower() in FALSE:
        return False
    raise ImproperlyConfigured(f"{name} must be 1 or 0, got {value!r}")


def optional_boolean(name: str) -> bool | None:
    return boolean(name, False) if _read(name) else None


def words(name: str, default: list[str]) -> list[str]:
    value = _read(name)
    if value is None:
        return default
    return [word.strip() for word in value.split(",") if word.strip()]


def folder(name: str, default: Path) -> Path:
    return Path(text(name, str(default))).expanduser().absolute()


Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def networks(name: str, default: list[str]) -> list[Network]:
    """Addresses and networks, as gunicorn reads them: `10.0.0.7, 10.1.0.0/16`; `*` is everybody."""
    found: list[Network] = []
    for word in words(name, default):
        try:
            found += map(ipaddress.ip_network, ("0.0.0.0/0", "::/0") if word == "*" else (word,))
        except ValueError as error:
            raise ImproperlyConfigured(
                f"{name} must be addresses or networks like 10.0.0.7, 10.1.0.0/16, got {word!r}"
            ) from error
    return found


def cores() -> int:
    """How many this process may use; a container is often given fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def choice(name: str, default: str, choices: tuple[str, ...]) -> str:
    value = text(name, default)
    if value not in choices:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(choices)}, got {value!r}")
    return value


def web_address(name: str, default: str) -> str:
    value = text(name, default).rstrip("/")
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path:
        raise ImproperlyConfigured(f"{name} must look like https://social.example, got {value!r}")
    return value


def base_address(name: str, default: str) -> str:
    value = text(name, default)
    parts = urlsplit(value)
    is_ours = not parts.scheme and not parts.netloc and value.startswith("/")
    is_elsewhere = parts.scheme in ("http", "https") and parts.hostname
    if not (is_ours or is_elsewhere) or not value.endswith("/") or parts.query or parts.fragment:
        raise ImproperlyConfigured(
            f"{name} must look like {default} or https://pictures.example/, got {value!r}"
        )
    return value


def options(name: str) -> dict[str, Any]:
    """An object in JSON. Errors don't quote the value: it may hold a password."""
    try:
        found = json.loads(text(name, "{}"))
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} must be a JSON object: {error}") from error
    if not isinstance(found, dict):
        raise ImproperlyConfigured(f"{name} must be a JSON object like {{}}")
    return found


def validated(name: str, default: str, validate: Callable[[str], object]) -> str:
    value = text(name, default)
    try:
        validate(value)
    except ValueError as error:
        raise ImproperlyConfigured(str(error)) from error
    return value


def readable_text(path: str) -> None:
    """Raises ValueError if it is no file that we can read as text; an empty path is none at all."""
    try:
        if path:
            Path(path).read_text()
    except (OSError, ValueError) as error:
        raise ValueError(f"There must be a text file at {path!r}: {error}") from error


def database(name: str, url: str | None, *, sqlite: dict[str, Any]) -> dict[str, Any]:
    """Django's settings of a database; those given for SQLite, if it is one or there is no URL.

    Errors don't quote the value: it may hold a password.
    """
    if not url:
        return sqlite
    examples = "postgres://user:password@host:5432/name or sqlite:////folder/file"
    scheme = urlsplit(url).scheme
    if scheme not in SUPPORTED_DATABASES:
        raise ImproperlyConfigured(
            f"{name} must look like {examples}: only PostgreSQL and SQLite are supported, "
            f"got {scheme or 'no scheme'}"
        )
    try:
        # Pooled by transaction (PgBouncer), a connection can't keep a cursor open on the server.
        parsed: dict[str, Any] = dict(
            dj_database_url.parse(
                url,
                engine=None if scheme == "sqlite" else "socialsite.postgresql",
                conn_max_age=60,
                conn_health_checks=True,
                disable_server_side_cursors=True,
            )
        )
    except (ValueError, KeyError) as error:
        raise ImproperlyConfigured(f"{name} must look like {examples}: {error}") from error
    if scheme == "sqlite":
        return sqlite | {"NAME": parsed["NAME"]}
    parsed["OPTIONS"] = POSTGRES_OPTIONS | parsed.get("OPTIONS", {})
    return parsed
