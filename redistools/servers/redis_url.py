"""What a `REDIS_URL` points at.

redis://host:6379/0                       one server
rediss://user:password@host:6380/0        the same over TLS
unix:///path/to/redis.sock                the same over a socket
redis+sentinel://host1,host2:26379/name/0 the master that Sentinel calls `name`
redis+cluster://host1:7000,host2:7001     a Redis Cluster
rediss+sentinel:// and rediss+cluster://  the same over TLS

`?socket_timeout=5` and the like override how redis-py connects.
"""

from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import SplitResult, unquote, urlsplit

import redis.connection

EXPECTED = (
    "redis://host:6379/0, rediss://…, unix:///path/redis.sock, "
    "redis+sentinel://host:26379/name/0 or redis+cluster://host:7000,host:7001"
)


class BadRedisURL(ValueError):  # noqa: N818 - reads as what is wrong
    """Quotes nothing of the URL but its scheme: any other part may be a password."""


@dataclass(frozen=True)
class Target:
    kind: Literal["server", "sentinel", "cluster"]
    url: str
    hosts: tuple[tuple[str, int], ...] = ()
    master: str = ""
    options: dict[str, Any] = field(default_factory=dict)


def parse_url(url: str) -> Target:
    """Raises BadRedisURL, which says what would be right."""
    try:
        return _parse(url)
    except BadRedisURL as error:
        raise error from None
    except ValueError:
        # The errors of urllib and int() quote what they could not read.
        raise BadRedisURL(f"REDIS_URL must look like {EXPECTED}") from None


def _parse(url: str) -> Target:
    parts = urlsplit(url)
    match parts.scheme:
        case "redis" | "rediss" | "unix":
            return _server(url, parts)
        case "redis+sentinel" | "rediss+sentinel":
            return _sentinel(url, parts)
        case "redis+cluster" | "rediss+cluster":
            return _cluster(url, parts)
    raise BadRedisURL(f"REDIS_URL must look like {EXPECTED}; got the scheme {parts.scheme!r}")


def _server(url: str, parts: SplitResult) -> Target:
    """redis-py reads these itself, but lets some mistakes through."""
    options: dict[str, Any] = redis.connection.parse_url(url)
    if parts.scheme == "unix":
        if not parts.path:
            raise ValueError("no socket")
    else:
        int(parts.path.strip("/") or 0)
    return Target("server", url, options=options)


def _sentinel(url: str, parts: SplitResult) -> Target:
    master, _, db = parts.path.strip("/").partition("/")
    if not master:
        raise BadRedisURL("REDIS_URL must name the master: redis+sentinel://host:26379/name/0")
    options = _options(parts) | {"db": int(db or 0)}
    return Target("sentinel", url, _hosts(parts, 26379), unquote(master), options)


def _cluster(url: str, parts: SplitResult) -> Target:
    if parts.path.strip("/") not in ("", "0"):
        raise ValueError("a cluster has no other database")
    return Target("cluster", url, _hosts(parts, 6379), options=_options(parts))


def _hosts(parts: SplitResult, default_port: int) -> tuple[tuple[str, int], ...]:
    hosts = parts.netloc.rpartition("@")[2]
    return tuple(_address(host, default_port) for host in hosts.split(","))


def _address(text: str, default_port: int) -> tuple[str, int]:
    parts = urlsplit(f"//{text}")
    if not parts.hostname:
        raise ValueError("no host")
    return parts.hostname, parts.port or default_port


def _options(parts: SplitResult) -> dict[str, Any]:
    # redis-py knows the type of each option.
    options: dict[str, Any] = redis.connection.parse_url(f"redis:///?{parts.query}")
    user, _, password = parts.netloc.rpartition("@")[0].partition(":")
    login = {"username": unquote(user), "password": unquote(password)}
    options |= {name: value for name, value in login.items() if value}
    return options | ({"ssl": True} if parts.scheme.startswith("rediss") else {})
