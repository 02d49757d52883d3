"""When a command is sent again, and when its failure opens the breaker.

A broken connection is retried for about a second. A timeout never is: it would take as long again,
and Redis may still execute the first command. A new master that waits for its replicas is asked
again for as long as the command may take. redis-py calls `call_with_retry` around every command and
every connect, one inside the other.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, Self, TypeVar

import redis
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import ExponentialBackoff, NoBackoff
from redis.retry import AbstractRetry, Retry

from .breaker import Breaker
from .fence import Fence

T = TypeVar("T")

BACKOFF, RETRIES = ExponentialBackoff(cap=0.4, base=0.05), 4
# Also when each attempt is slow, as when the Sentinels hang.
PATIENCE_SECONDS = 1.0
LOST = (redis.ConnectionError, redis.TimeoutError, TimeoutError)


class _Guarded(AbstractRetry[Exception]):
    def __init__(self, breaker: Breaker, fence: Fence) -> None:
        super().__init__(BACKOFF, RETRIES, LOST)
        self.breaker, self._fence = breaker, fence

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """redis-py copies it for every connection; they share the breaker and the fence."""
        return self

    def _may_try_again(
        self,
        error: Exception,
        failures: int,
        since: float,
        is_retryable: Callable[[Exception], bool] | None,
    ) -> bool:
        return (
            isinstance(error, redis.ConnectionError)
            and self.breaker.error is None
            and failures <= self.get_retries()
            and time.monotonic() < since + PATIENCE_SECONDS
            and (is_retryable is None or is_retryable(error))
        )


class GuardedRetry(_Guarded, Retry):
    def call_with_retry(
        self,
        do: Callable[[], T],
        fail: Callable[..., Any],
        is_retryable: Callable[[Exception], bool] | None = None,
        with_failure_count: bool = False,
    ) -> T:
        self.breaker.check()
        failures, since = 0, 0.0
        while True:
            try:
                return self._fence.call(do)
            except LOST as error:
                self.breaker.losses += 1
                failures, since = failures + 1, since or time.monotonic()
                fail(error, failures) if with_failure_count else fail(error)
                if not self._may_try_again(error, failures, since, is_retryable):
                    self.breaker.open(error)
                    raise
            time.sleep(self._backoff.compute(failures))


class GuardedAsyncRetry(_Guarded, AsyncRetry):
    async def call_with_retry(
        self,
        do: Callable[[], Awaitable[T]],
        fail: Callable[..., Any],
        is_retryable: Callable[[Exception], bool] | None = None,
        with_failure_count: bool = False,
    ) -> T:
        self.breaker.check()
        failures, since = 0, 0.0
        while True:
            try:
                return await self._fence.call_async(do)
            except LOST as error:
                self.breaker.losses += 1
                failures, since = failures + 1, since or time.monotonic()
                await (fail(error, failures) if with_failure_count else fail(error))
                if not self._may_try_again(error, failures, since, is_retryable):
                    self.breaker.open(error)
                    raise
            await asyncio.sleep(self._backoff.compute(failures))


class NodeRetry(Retry):
    """For the nodes of a cluster: its client retries by itself, where the slot is now."""

    def __init__(self, breaker: Breaker) -> None:
        super().__init__(NoBackoff(), 0)
        self.breaker = breaker

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def call_with_retry(
        self,
        do: Callable[[], T],
        fail: Callable[..., Any],
        is_retryable: Callable[[Exception], bool] | None = None,
        with_failure_count: bool = False,
    ) -> T:
        self.breaker.check()
        try:
            return super().call_with_retry(do, fail, is_retryable, with_failure_count)
        except LOST as error:
            self.breaker.losses += 1
            if isinstance(error, redis.TimeoutError):
                self.breaker.open(error)
            raise
