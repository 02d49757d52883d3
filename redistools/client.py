"""The way to Redis: one pool per process, whatever stands behind `REDIS_URL`.

redis://host:6379/0                       one server
rediss://user:password@host:6380/0        the same over TLS
unix:///path/to/redis.sock                the same over a socket
redis+sentinel://host1,host2:26379/name/0 the master that Sentinel calls `name`
redis+cluster://host1:7000,host2:7001     a Redis Cluster
rediss+sentinel:// and rediss+cluster://  these over TLS
"""

import asyncio
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal
from urllib.parse import parse_qsl, unquote, urlsplit
from weakref import WeakKeyDictionary

import redis
import redis.asyncio
from django.conf import settings
from redis.asyncio.cluster import ClusterNode as AsyncClusterNode
from redis.asyncio.retry import Retry as AsyncRetry
from redis.asyncio.sentinel import Sentinel as AsyncSentinel
from redis.backoff import ExponentialBackoff
from redis.cluster import ClusterNode
from redis.retry import Retry
from redis.sentinel import Sentinel

Client = redis.Redis | redis.RedisCluster
AsyncClient = redis.asyncio.Redis | redis.asyncio.RedisCluster

MINIMUM_VERSION = (6, 2)
BACKOFF, RETRIES = ExponentialBackoff(cap=0.4, base=0.05), 4
SIMPLE_SCHEMES = ("redis", "rediss", "unix")
DEFAULT_PORTS = {"sentinel": 26379, "cluster": 6379}
EXPECTED = (
    "redis://host:6379/0, rediss://…, unix:///path/redis.sock, "
    "redis+sentinel://host:26379/name/0 or redis+cluster://host:7000,host:7001"
)


@dataclass(frozen=True)
class Target:
    """What a `REDIS_URL` points at."""

    kind: Literal["server", "sentinel", "cluster"]
    url: str
    hosts: tuple[tuple[str, int], ...] = ()
    master: str = ""
    options: dict[str, Any] = field(default_factory=dict)


def parse_url(url: str) -> Target:
    """Raises ValueError with the expected forms, not with the URL: it may hold a password."""
    scheme, _, kind = urlsplit(url).scheme.partition("+")
    if not kind and scheme in SIMPLE_SCHEMES:
        return Target("server", url)
    if scheme not in ("redis", "rediss") or kind not in DEFAULT_PORTS:
        raise ValueError(f"REDIS_URL must look like {EXPECTED}; got the scheme {scheme!r}")
    parts = urlsplit(url)
    login, _, hosts = parts.netloc.rpartition("@")
    master, _, db = parts.path.strip("/").partition("/")
    if kind == "sentinel" and not master:
        raise ValueError("REDIS_URL must name the master: redis+sentinel://host:26379/mymaster/0")
    options: dict[str, Any] = dict(parse_qsl(parts.query))
    options |= _login(login) | ({"ssl": True} if scheme == "rediss" else {})
    if kind == "sentinel":
        options["db"] = int(db or 0)
    addresses = tuple(_address(host, DEFAULT_PORTS[kind]) for host in hosts.split(","))
    return Target("sentinel" if kind == "sentinel" else "cluster", url, addresses, master, options)


def _login(login: str) -> dict[str, str]:
    user, _, password = login.partition(":")
    given = {"username": unquote(user), "password": unquote(password)}
    return {name: value for name, value in given.items() if value}


def _address(text: str, default_port: int) -> tuple[str, int]:
    parts = urlsplit(f"//{text}")
    if not parts.hostname:
        raise ValueError(f"REDIS_URL names a host that can't be read: {text!r}")
    return parts.hostname, parts.port or default_port


def _connection_options(*, binary: bool, retry: Retry | AsyncRetry) -> dict[str, Any]:
    return {
        "decode_responses": not binary,
        "max_connections": settings.REDIS_MAX_CONNECTIONS,
        "socket_connect_timeout": 3,
        "socket_timeout": 15,
        "health_check_interval": 30,
        # Over a restart of a second, not longer: a request that waits holds a thread.
        "retry": retry,
    }


def connect(url: str, *, binary: bool = False) -> Client:
    """A new client with a pool of its own. Most code wants `get_client()`."""
    target = parse_url(url)
    options = _connection_options(binary=binary, retry=Retry(BACKOFF, RETRIES))
    if target.kind == "server":
        return redis.Redis.from_url(url, **options)
    options |= target.options
    if target.kind == "cluster":
        nodes = [ClusterNode(host, port) for host, port in target.hosts]
        return redis.RedisCluster(startup_nodes=nodes, **options)
    sentinel_options = _sentinel_options(options)
    sentinel = Sentinel(target.hosts, sentinel_kwargs=sentinel_options, **options)
    master: redis.Redis = sentinel.master_for(target.master)
    return master


def connect_async(url: str, *, binary: bool = False) -> AsyncClient:
    """The asyncio twin of `connect`."""
    target = parse_url(url)
    options = _connection_options(binary=binary, retry=AsyncRetry(BACKOFF, RETRIES))
    if target.kind == "server":
        return redis.asyncio.Redis.from_url(url, **options)
    options |= target.options
    if target.kind == "cluster":
        nodes = [AsyncClusterNode(host, port) for host, port in target.hosts]
        return redis.asyncio.RedisCluster(startup_nodes=nodes, **options)
    sentinel_options = _sentinel_options(options)
    sentinel = AsyncSentinel(target.hosts, sentinel_kwargs=sentinel_options, **options)
    master: redis.asyncio.Redis = sentinel.master_for(target.master)
    return master


def _sentinel_options(options: dict[str, Any]) -> dict[str, Any]:
    """Sentinels have a login of their own: `?sentinel_username=…&sentinel_password=…`."""
    own = {
        name: options.pop(f"sentinel_{name}")
        for name in ("username", "password")
        if f"sentinel_{name}" in options
    }
    return {
        "socket_connect_timeout": 3,
        "socket_timeout": 3,
        "ssl": options.get("ssl", False),
    } | own


@cache
def get_client() -> Client:
    """The process's client; answers are text."""
    return connect(settings.REDIS_URL)


@cache
def get_binary_client() -> Client:
    """The process's client for pickled and compressed values; answers are bytes."""
    return connect(settings.REDIS_URL, binary=True)


_async_clients: "WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncClient]" = WeakKeyDictionary()


def get_async_client() -> AsyncClient:
    """The client of the running event loop: asyncio connections can't move between loops."""
    loop = asyncio.get_running_loop()
    if loop not in _async_clients:
        _async_clients[loop] = connect_async(settings.REDIS_URL)
    return _async_clients[loop]


def server_version(client: Client) -> tuple[int, ...]:
    """The oldest version among the servers behind the client."""
    info = client.info("server")
    servers = info.values() if "redis_version" not in info else [info]
    return min(tuple(map(int, server["redis_version"].split("."))) for server in servers)
