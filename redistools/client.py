"""Clients for Redis: one pool per process, whatever `REDIS_URL` points at."""

import asyncio
import re
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

import redis
import redis.asyncio
from django.conf import settings
from redis.asyncio.cluster import ClusterNode as AsyncClusterNode
from redis.asyncio.retry import Retry as AsyncRetry
from redis.asyncio.sentinel import Sentinel as AsyncSentinel
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode
from redis.retry import Retry
from redis.sentinel import Sentinel

from .breaker import Breaker
from .retry import GuardedAsyncRetry, GuardedRetry
from .servers.cluster import GuardedAsyncCluster, GuardedCluster
from .servers.redis_url import Target, parse_url
from .servers.sentinel import (
    AsyncMasterConnection,
    AsyncMasterSSLConnection,
    MasterConnection,
    MasterSSLConnection,
)

Client = redis.Redis | GuardedCluster
AsyncClient = redis.asyncio.Redis | redis.asyncio.RedisCluster

MINIMUM_VERSION = (6, 2)
# The default; redis-py's own limit is 100.
MAX_CONNECTIONS = 256
# A page waits for Redis no longer than this, and a thread with it; scripts take milliseconds.
TIMEOUT_SECONDS = 1.0
# A listener's command blocks inside Redis on purpose (`taskqueue.worker.LISTEN_SECONDS`).
LISTENER_TIMEOUT_SECONDS = 10.0


@cache
def breaker_of(url: str) -> Breaker:
    """All clients of the process with this URL share it: what one finds out, all know."""
    return Breaker(lambda: connect(url))


def is_away() -> bool:
    """Is Redis known to be away? Asks nobody."""
    return breaker_of(settings.REDIS_URL).error is not None


def fail_if_away() -> None:
    """Raises RedisAway if Redis is known to be away: call it before you lock anything."""
    breaker_of(settings.REDIS_URL).check()


def _connection_options(*, binary: bool, timeout: float) -> dict[str, Any]:
    return {
        "decode_responses": not binary,
        "max_connections": getattr(settings, "REDIS_MAX_CONNECTIONS", MAX_CONNECTIONS),
        "socket_connect_timeout": TIMEOUT_SECONDS,
        "socket_timeout": timeout,
        "health_check_interval": 30,
    }


def connect(url: str, *, binary: bool = False) -> Client:
    """A new client with a pool of its own. Most code wants `get_client()`."""
    client = _connect(url, _connection_options(binary=binary, timeout=TIMEOUT_SECONDS))
    breaker_of(url).watch(client)
    return client


def _connect(url: str, options: dict[str, Any]) -> Client:
    target, breaker = parse_url(url), breaker_of(url)
    if target.kind == "server":
        return redis.Redis.from_url(url, retry=GuardedRetry(breaker), **options)
    options |= target.options
    if target.kind == "cluster":
        nodes = [ClusterNode(host, port) for host, port in target.hosts]
        return GuardedCluster(breaker, startup_nodes=nodes, **options)
    sentinel_options = _sentinel_options(target, options) | {"retry": Retry(NoBackoff(), 0)}
    options |= {"retry": GuardedRetry(breaker)}
    sentinel = Sentinel(target.hosts, sentinel_kwargs=sentinel_options, **options)
    connection = MasterSSLConnection if options.get("ssl") else MasterConnection
    master: redis.Redis = sentinel.master_for(target.master, connection_class=connection)
    return master


def connect_async(url: str, *, binary: bool = False) -> AsyncClient:
    """The asyncio twin of `connect`."""
    target, breaker = parse_url(url), breaker_of(url)
    options = _connection_options(binary=binary, timeout=TIMEOUT_SECONDS)
    if target.kind == "server":
        return redis.asyncio.Redis.from_url(url, retry=GuardedAsyncRetry(breaker), **options)
    options |= target.options
    if target.kind == "cluster":
        nodes = [AsyncClusterNode(host, port) for host, port in target.hosts]
        return GuardedAsyncCluster(breaker, startup_nodes=nodes, **options)
    sentinel_options = _sentinel_options(target, options) | {"retry": AsyncRetry(NoBackoff(), 0)}
    options |= {"retry": GuardedAsyncRetry(breaker)}
    sentinel = AsyncSentinel(target.hosts, sentinel_kwargs=sentinel_options, **options)
    connection = AsyncMasterSSLConnection if options.get("ssl") else AsyncMasterConnection
    master: redis.asyncio.Redis = sentinel.master_for(target.master, connection_class=connection)
    return master


def _sentinel_options(target: Target, options: dict[str, Any]) -> dict[str, Any]:
    """Sentinels have a login of their own: `?sentinel_username=…&sentinel_password=…`.

    They are asked one after another, so they share the time of one command.
    """
    own = {
        name: options.pop(f"sentinel_{name}")
        for name in ("username", "password")
        if f"sentinel_{name}" in options
    }
    timeout = max(0.3, TIMEOUT_SECONDS / len(target.hosts))
    return {
        "socket_connect_timeout": timeout,
        "socket_timeout": timeout,
        "ssl": options.get("ssl", False),
    } | own


@cache
def get_client() -> Client:
    """The process's client; answers are text."""
    return connect(settings.REDIS_URL)


@cache
def get_binary_client() -> Client:
    """The process's client for cached values; answers are bytes."""
    return connect(settings.REDIS_URL, binary=True)


def get_listening_client() -> Client:
    """The process's client for commands that block inside Redis until something happens."""
    return _listening_client(settings.REDIS_URL)


@cache
def _listening_client(url: str) -> Client:
    return _connect(url, _connection_options(binary=False, timeout=LISTENER_TIMEOUT_SECONDS))


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
    return min(_numbers(server["redis_version"]) for server in servers)


def _numbers(version: str) -> tuple[int, ...]:
    """`7.4.0-rc1` counts as 7.4.0."""
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])
