"""One event loop for all async tasks of a worker: a loop for each would cost more than the task."""

import asyncio
import inspect
import threading
from collections.abc import Callable, Coroutine
from functools import cached_property
from typing import Any

from asgiref.sync import sync_to_async
from django.db import close_old_connections
from django_tasks.base import Task


class SharedLoop:
    def caller_of(self, task: Task[..., Any]) -> Callable[..., Any]:
        """A plain function that runs the task, here or in the loop, and returns its value."""
        function = task.func
        if not inspect.iscoroutinefunction(function):
            return function

        def call(*args: Any, **kwargs: Any) -> Any:
            work = _and_close_connections(function(*args, **kwargs))
            return asyncio.run_coroutine_threadsafe(work, self._loop).result()

        return call

    @cached_property
    def _loop(self) -> asyncio.AbstractEventLoop:
        """Started with the first async task; ends with the process."""
        loop = asyncio.new_event_loop()
        threading.Thread(target=loop.run_forever, name="async tasks", daemon=True).start()
        return loop


async def _and_close_connections(work: Coroutine[Any, Any, Any]) -> Any:
    # The ORM's async methods use connections of a thread of their own.
    try:
        return await work
    finally:
        await sync_to_async(close_old_connections)()
