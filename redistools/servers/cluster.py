"""redis-py's clients for a Redis Cluster, behind the breaker.

They retry by themselves, with the cluster's newest slots. While one node is silent, the breaker
counts the whole cluster as away: a page needs keys of all nodes.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import redis
import redis.asyncio
from redis.asyncio.retry import Retry as AsyncRetry
from redis.exceptions import RedisClusterException
from redis.retry import Retry

from ..calls import listened_to
from ..outages.breaker import Breaker, RedisAway
from ..outages.fence import Fence
from ..outages.retry import BACKOFF, RETRIES, NodeRetry


@contextmanager
def plain_outages() -> Iterator[None]:
    """Turns what redis-py raises beside RedisError into RedisAway: if no node can be reached, or
    another thread finds new nodes while this one looks through the known ones.
    """
    try:
        yield
    except RuntimeError as error:
        if "during iteration" in str(error):
            raise RedisAway("the cluster changes") from error
        raise
    except RedisClusterException as error:
        if isinstance(error.__cause__, redis.ConnectionError | redis.TimeoutError):
            raise RedisAway(str(error)) from error
        raise


class GuardedCluster(redis.RedisCluster):
    """Reads the cluster's slots when it is made, so even that raises in an outage."""

    def __init__(self, breaker: Breaker, fence: Fence, **options: Any) -> None:
        breaker.check()
        self.breaker, self._fence = breaker, fence
        try:
            with plain_outages():
                super().__init__(retry=Retry(BACKOFF, RETRIES), **options)
        except redis.ConnectionError as error:
            breaker.open(error)
            raise
        _guard_nodes(self.nodes_manager, breaker)

    def execute_command(self, *args: Any, **kwargs: Any) -> Any:
        self.breaker.check()
        unguarded: Any = super()  # which is not typed
        with plain_outages():
            return listened_to(
                str(args[0]),
                lambda: self._fence.call(lambda: unguarded.execute_command(*args, **kwargs)),
            )

    def pipeline(self, *args: Any, **kwargs: Any) -> Any:
        self.breaker.check()
        unguarded: Any = super()
        return unguarded.pipeline(*args, **kwargs)


def _guard_nodes(manager: Any, breaker: Breaker) -> None:
    """redis-py gives every node, even those it learns of later, a Retry that it makes itself."""
    create = manager.create_redis_node

    def create_guarded(*args: Any, **options: Any) -> redis.Redis:
        node: redis.Redis = create(*args, **options)
        node.set_retry(NodeRetry(breaker))
        return node

    manager.create_redis_node = create_guarded
    for node in (*manager.nodes_cache.values(), *manager.startup_nodes.values()):
        if node.redis_connection is not None:
            node.redis_connection.set_retry(NodeRetry(breaker))


class GuardedAsyncCluster(redis.asyncio.RedisCluster):
    def __init__(self, breaker: Breaker, fence: Fence, **options: Any) -> None:
        super().__init__(retry=AsyncRetry(BACKOFF, 1), **options)
        self._breaker, self._fence = breaker, fence

    async def execute_command(self, *args: Any, **kwargs: Any) -> Any:
        self._breaker.check()
        unguarded: Any = super()
        try:
            with plain_outages():
                return await self._fence.call_async(
                    lambda: unguarded.execute_command(*args, **kwargs)
                )
        except (redis.TimeoutError, RedisAway) as error:
            self._breaker.open(error)
            raise
