"""Connections to the master that Sentinel names now.

redis-py does not ask Sentinel when it reopens a broken connection, and keeps connections to a
master that hangs after another has taken over. Ours ask each time they are opened, and leave a
master that is known to have been replaced.
"""

from contextlib import suppress
from typing import Any

import redis
import redis.asyncio
from redis.asyncio import SSLConnection as AsyncSSLConnection
from redis.asyncio.sentinel import SentinelManagedConnection as AsyncManagedConnection
from redis.connection import SSLConnection
from redis.exceptions import ResponseError
from redis.sentinel import SentinelManagedConnection

from ..calls import ListenedClient
from ..outages.fence import is_fenced

# How Redis 6.2 reports that a script wrote to a replica.
READ_ONLY = "-READONLY "
REPLACED = "The previous master has been replaced"


class _FollowsMaster:
    connection_pool: Any
    host: str
    port: int

    def _is_outdated(self) -> bool:
        named = self.connection_pool.master_address
        return self.connection_pool.is_master and named not in (None, (self.host, self.port))

    def _may_be_replaced(self, error: ResponseError) -> bool:
        """A master without replicas may be, and one that is a replica now is."""
        refused = is_fenced(error) or READ_ONLY in str(error)
        return self.connection_pool.is_master and refused


class MasterConnection(_FollowsMaster, SentinelManagedConnection):
    def connect(self) -> None:
        """Does nothing if it is connected to the newest master that we know of."""
        untyped: Any = super()
        if self.is_connected and self._is_outdated():
            untyped.disconnect()
        untyped.connect()

    def send_packed_command(self, command: Any, check_health: bool = True) -> None:
        untyped: Any = super()
        if not self.is_connected:
            self.connect()
        untyped.send_packed_command(command, check_health)

    def read_response(self, *args: Any, **options: Any) -> Any:
        untyped: Any = super()
        try:
            return untyped.read_response(*args, **options)
        except ResponseError as error:
            if self._may_be_replaced(error) and self._learns_of_another():
                untyped.disconnect()
                raise redis.ConnectionError(REPLACED) from error  # which is retried
            raise

    def _learns_of_another(self) -> bool:
        with suppress(redis.ConnectionError, redis.TimeoutError):
            self.connection_pool.get_master_address()
        return self._is_outdated()


class MasterSSLConnection(MasterConnection, SSLConnection):
    pass


class AsyncMasterConnection(_FollowsMaster, AsyncManagedConnection):
    async def connect(self) -> None:
        untyped: Any = super()
        if self.is_connected and self._is_outdated():
            await untyped.disconnect()
        await untyped.connect()

    async def send_packed_command(self, command: Any, check_health: bool = True) -> None:
        if not self.is_connected:
            await self.connect()
        await super().send_packed_command(command, check_health)

    async def read_response(self, *args: Any, **options: Any) -> Any:
        try:
            return await super().read_response(*args, **options)
        except ResponseError as error:
            if self._may_be_replaced(error) and await self._learns_of_another():
                await self.disconnect()
                raise redis.ConnectionError(REPLACED) from error
            raise

    async def _learns_of_another(self) -> bool:
        with suppress(redis.ConnectionError, redis.TimeoutError):
            await self.connection_pool.get_master_address()
        return self._is_outdated()


class AsyncMasterSSLConnection(AsyncMasterConnection, AsyncSSLConnection):
    pass


class MasterClient(ListenedClient):
    """redis-py's own leaves the connections to the Sentinels open."""

    def close(self) -> None:
        super().close()
        pool: Any = self.connection_pool
        for sentinel in pool.sentinel_manager.sentinels:
            sentinel.close()


class AsyncMasterClient(redis.asyncio.Redis):
    async def aclose(self, close_connection_pool: bool | None = None) -> None:
        await super().aclose(close_connection_pool)
        pool: Any = self.connection_pool
        for sentinel in pool.sentinel_manager.sentinels:
            await sentinel.aclose()
