"""What a worker does besides running tasks: leases, the outbox, periodic tasks."""

import logging
import threading
import time
from collections.abc import Callable, Iterable

from django.db import DatabaseError, close_old_connections, connections
from redis.exceptions import RedisError

from .. import outbox
from .lane import Lane

# After this long at one task, a lane gives what it claimed ahead to others.
LONG_TASK_SECONDS = 0.25
SWEEP_SECONDS = 2.0
# Three renewals may fail before a lease runs out.
RENEWALS_PER_LEASE = 4
AFTER_ERROR_SECONDS = 1.0

# Does its work and returns the seconds until it wants to be called again.
Chore = Callable[[], float]
logger = logging.getLogger("taskqueue.worker")


class ChoreThread(threading.Thread):
    """Calls chores when they are due. One that raises is logged and tried again."""

    def __init__(self, name: str, chores: Iterable[Chore]) -> None:
        super().__init__(name=name, daemon=True)
        self._due = dict.fromkeys(chores, 0.0)
        self._ended = threading.Event()

    def run(self) -> None:
        while not self._ended.wait(max(0.0, min(self._due.values()) - time.monotonic())):
            for chore, due in self._due.items():
                if due <= time.monotonic():
                    self._due[chore] = time.monotonic() + attempt(chore)
        connections.close_all()  # those of this thread

    def end(self) -> None:
        self._ended.set()
        self.join(timeout=5.0)


def attempt(chore: Chore) -> float:
    close_old_connections()
    try:
        return min(chore(), threading.TIMEOUT_MAX / 2)
    except RedisError:
        # The lanes say so; a second line from here would add nothing.
        return AFTER_ERROR_SECONDS
    except DatabaseError as error:
        logger.warning("The database can't be used (%s); trying again", str(error).strip())
        return AFTER_ERROR_SECONDS
    except Exception:
        logger.exception("A chore of the worker failed; trying again")
        return AFTER_ERROR_SECONDS
    finally:
        close_old_connections()


class LeaseChores:
    def __init__(self, lanes: Iterable[Lane], *, lease: float) -> None:
        self._lanes = list(lanes)
        self._lease = lease

    def relieve(self) -> float:
        """A slow task must keep neither its neighbours' results nor the tasks behind it waiting."""
        long_ago = time.monotonic() - LONG_TASK_SECONDS
        for lane in self._lanes:
            if lane.running_since is not None and lane.running_since < long_ago:
                lane.relieve()
        return LONG_TASK_SECONDS

    def renew(self) -> float:
        for lane in self._lanes:
            lane.renew()
        return self._lease / RENEWALS_PER_LEASE


def sweep_outbox() -> float:
    if relayed := outbox.sweep():
        logger.info("Relayed %d tasks that were left in the outbox", relayed)
    return SWEEP_SECONDS
