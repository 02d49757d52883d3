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

from .calls import ListenedClient
from .outages.breaker import RedisBreaker
from .outages.fence import Fence
from .outages.retry import GuardedAsyncRetry, GuardedRetry
from .servers.cluster import GuardedAsyncCluster, GuardedCluster
from .servers.redis_url import Target, parse_url
from .servers.replica_exchange import read_only
from .servers.replicas import Address, Replicas
from .servers.sentinel import (
    AsyncMasterClient,
    AsyncMasterConnection,
    AsyncMasterSSLConnection,
    MasterClient,
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
# Its master is asked next.
REPLICA_TIMEOUT_SECONDS = 0.5
# A listener's command blocks inside Redis on purpose (`taskqueue.worker.LISTEN_SECONDS`).
LISTENER_TIMEOUT_SECONDS = 10.0


@cache
def breaker_of(url: str) -> RedisBreaker:
    """Shared by all clients of the process with this URL: what one finds out, all know."""
    return RedisBreaker(lambda: connect(url))


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
    fence = _fence(target, options)
    if target.kind == "server":
        return ListenedClient.from_url(url, retry=GuardedRetry(breaker, fence), **options)
    options |= target.options
    if target.kind == "cluster":
        nodes = [ClusterNode(host, port) for host, port in target.hosts]
        return GuardedCluster(breaker, fence, startup_nodes=nodes, **options)
    sentinel_options = _sentinel_options(target, options) | {"retry": Retry(NoBackoff(), 0)}
    options |= {"retry": GuardedRetry(breaker, fence)}
    sentinel = Sentinel(target.hosts, sentinel_kwargs=sentinel_options, **options)
    connection = MasterSSLConnection if options.get("ssl") else MasterConnection
    master: redis.Redis = sentinel.master_for(
        target.master, redis_class=MasterClient, connection_class=connection
    )
    return master


def connect_async(url: str) -> AsyncClient:
    target, breaker = parse_url(url), breaker_of(url)
    options = _connection_options(binary=False, timeout=TIMEOUT_SECONDS)
    fence = _fence(target, options)
    if target.kind == "server":
        retry = GuardedAsyncRetry(breaker, fence)
        return redis.asyncio.Redis.from_url(url, retry=retry, **options)
    options |= target.options
    if target.kind == "cluster":
        nodes = [AsyncClusterNode(host, port) for host, port in target.hosts]
        return GuardedAsyncCluster(breaker, fence, startup_nodes=nodes, **options)
    sentinel_options = _sentinel_options(target, options) | {"retry": AsyncRetry(NoBackoff(), 0)}
    options |= {"retry": GuardedAsyncRetry(breaker, fence)}
    sentinel = AsyncSentinel(target.hosts, sentinel_kwargs=sentinel_options, **options)
    connection = AsyncMasterSSLConnection if options.get("ssl") else AsyncMasterConnection
    master: redis.asyncio.Redis = sentinel.master_for(
        target.master, redis_class=AsyncMasterClient, connection_class=connection
    )
    return master


def _fence(target: Target, options: dict[str, Any]) -> Fence:
    return Fence((options | target.options)["socket_timeout"])


def _sentinel_options(target: Target, options: dict[str, Any]) -> dict[str, Any]:
    """Sentinels have a login of their own, and share the time of one command."""
    own = {
        name: options.pop(f"sentinel_{name}")
        for name in ("username", "password")
        if f"sentinel_{name}" in options
    }
    timeout = max(0.3, TIMEOUT_SECONDS / len(target.hosts))
    timeouts = dict.fromkeys(("socket_connect_timeout", "socket_timeout"), timeout)
    return {**timeouts, "ssl": options.get("ssl", False), **own}


def get_client() -> Client:
    return _client(settings.REDIS_URL, binary=False)


def get_replicas() -> Replicas | None:
    """None unless `get_client()` talks to a cluster or through Sentinel."""
    return _replicas(settings.REDIS_URL)


@cache
def _replicas(url: str) -> Replicas | None:
    if parse_url(url).kind == "server":
        return None
    return Replicas(_client(url, binary=False), lambda address: _connect_replica(url, address))


def _connect_replica(url: str, address: Address) -> redis.Redis:
    """Neither retries nor has a breaker: its master can answer too."""
    target = parse_url(url)
    options = _connection_options(binary=False, timeout=REPLICA_TIMEOUT_SECONDS) | target.options
    _sentinel_options(target, options)  # which takes the Sentinels' own login out
    options |= {"retry": Retry(NoBackoff(), 0)}
    if target.kind == "cluster":
        options["redis_connect_func"] = read_only
    host, port = address
    return redis.Redis(host=host, port=port, **options)


def get_binary_client() -> Client:
    return _client(settings.REDIS_URL, binary=True)


@cache
def _client(url: str, *, binary: bool) -> Client:
    """By URL: tests change it, while other threads ask for a client."""
    return connect(url, binary=binary)


def get_listening_client() -> Client:
    """For commands that block inside Redis until something happens."""
    return _listening_client(settings.REDIS_URL)


@cache
def _listening_client(url: str) -> Client:
    return _connect(url, _connection_options(binary=False, timeout=LISTENER_TIMEOUT_SECONDS))


_async_clients: "WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncClient]" = WeakKeyDictionary()


def get_async_client() -> AsyncClient:
    """One for each event loop: asyncio connections can't move between loops."""
    loop = asyncio.get_running_loop()
    if loop not in _async_clients:
        _async_clients[loop] = connect_async(settings.REDIS_URL)
    return _async_clients[loop]


def server_version(client: Client) -> tuple[int, ...]:
    info = client.info("server")
    servers = info.values() if "redis_version" not in info else [info]
    # `7.4.0-rc1` counts as 7.4.0.
    found = [re.findall(r"\d+", server["redis_version"])[:3] for server in servers]
    return min(tuple(map(int, numbers)) for numbers in found)
