"""The way to Redis: one pool per process, whatever stands behind `REDIS_URL`."""

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
from redis.backoff import ExponentialBackoff
from redis.cluster import ClusterNode
from redis.retry import Retry
from redis.sentinel import Sentinel

from .redis_url import parse_url

Client = redis.Redis | redis.RedisCluster
AsyncClient = redis.asyncio.Redis | redis.asyncio.RedisCluster

MINIMUM_VERSION = (6, 2)
# Where the settings name no other; redis-py's own limit is 100.
MAX_CONNECTIONS = 256
BACKOFF, RETRIES = ExponentialBackoff(cap=0.4, base=0.05), 4


def _connection_options(*, binary: bool, retry: Retry | AsyncRetry) -> dict[str, Any]:
    return {
        "decode_responses": not binary,
        "max_connections": getattr(settings, "REDIS_MAX_CONNECTIONS", MAX_CONNECTIONS),
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
    return min(_numbers(server["redis_version"]) for server in servers)


def _numbers(version: str) -> tuple[int, ...]:
    """`7.4.0-rc1` counts as 7.4.0."""
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])
