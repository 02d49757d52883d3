"""Typed reading of the environment: a missing value means the default, a bad one a clear error."""

import ipaddress
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

TRUE = ("1", "true", "yes", "on")
SUPPORTED_DATABASES = ("postgres", "postgresql", "sqlite")
# PostgreSQL would wait for as long as the kernel tries to reach it.
CONNECT_SECONDS = 5
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


def integer(name: str, default: int, *, minimum: int, maximum: int) -> int:
    value = _read(name)
    if value is None or value == "":
        return default
    try:
        number = int(value)
    except ValueError:
        number = minimum - 1
    if not minimum <= number <= maximum:
        raise ImproperlyConfigured(
            f"{name} must be a number from {minimum} to {maximum}, got {value!r}"
        )
    return number


def boolean(name: str, default: bool) -> bool:
    value = _read(name)
    if value is None:
        return default
    if value.lower() in TRUE:
        return True
    if value.lower() in FALSE:
        return False
    raise ImproperlyConfigured(f"{name} must be 1 or 0, got {value!r}")


def words(name: str, default: list[str]) -> list[str]:
    """A comma-separated list: `a.example, b.example`."""
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
    """Can only this machine reach a server that binds to the host?"""
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
    """An address without a path: `https://social.example`."""
    value = text(name, default).rstrip("/")
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path:
        raise ImproperlyConfigured(f"{name} must look like https://social.example, got {value!r}")
    return value


def validated(name: str, default: str, validate: Callable[[str], object]) -> str:
    """A text for which `validate` raises no ValueError."""
    value = text(name, default)
    try:
        validate(value)
    except ValueError as error:
        raise ImproperlyConfigured(str(error)) from error
    return value


def database(name: str, url: str) -> dict[str, Any]:
    """Django's settings of a database. Errors don't quote the value: it may hold a password."""
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
                url, conn_max_age=60, conn_health_checks=True, disable_server_side_cursors=True
            )
        )
    except (ValueError, KeyError) as error:
        raise ImproperlyConfigured(f"{name} must look like {examples}: {error}") from error
    if scheme != "sqlite":
        parsed["OPTIONS"] = {"connect_timeout": CONNECT_SECONDS} | parsed.get("OPTIONS", {})
    return parsed
