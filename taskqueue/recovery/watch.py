"""When Redis is not the one it was, what it may have lost is repeated from SQL.

Every write has its row in the outbox, which stays for a few minutes after its work is done; a mark
says that it is done. A single server, or a master with its replicas, has one log, and has left all
that was written up to some moment. Marks are written after the work, never to a server that died in
between (`redistools/life.py`). So a mark that is left proves that the work is too, and the sweep
(`taskqueue/outbox.py`) repeats the rest.

The masters of a cluster have a log each: one may have lost the work of a mark that another kept. So
all tasks run again that were done after the moment up to which every master is whole, and what was
done since we noticed some more times: another host may have written to a former master until a
moment ago. A worker that begins then does so too, in place of the one that noticed.
"""

import logging
import uuid
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from django.utils import timezone

from redistools.client import get_client
from redistools.lock import LockNotAcquired, lock
from redistools.memory import Memory, leave_mark, lives, look

from .. import outbox
from ..models import RedisMemory

LOOK_SECONDS = 1.0
AGAIN_AFTER = (timedelta(seconds=15), timedelta(seconds=45))
# How far the clocks of hosts may be apart.
LEEWAY = timedelta(seconds=5)
LOCK_SECONDS = 30.0

logger = logging.getLogger("taskqueue.worker")


class Watch:
    """One for each worker; the first to notice a loss sees to it for all."""

    def __init__(self) -> None:
        self._seen: Memory | None = None
        # When to repeat, and what was done since when.
        self._again: set[tuple[datetime, datetime]] = set()

    def look(self) -> float:
        """Two round trips, three on a cluster; returns the seconds until it wants to look again."""
        client = get_client()
        alive = lives(client) if self._seen and not self._seen.has_one_log else {}
        now = look(client)
        if now != self._seen or not now.mark:
            with (
                suppress(LockNotAcquired),
                lock(client, "recovery", timeout=LOCK_SECONDS, wait=1.0),
            ):
                self._recognise(look(client))
        elif alive:
            leave_mark(client, now.mark, alive)
        self._repeat_again()
        return LOOK_SECONDS

    def _recognise(self, now: Memory) -> None:
        """By what SQL knows: this worker may be new, or another may have seen to it."""
        known, _ = RedisMemory.objects.get_or_create(pk=1)
        if known.mark and now == Memory(known.servers, known.mark):
            if self._seen is None and not now.has_one_log:
                self._plan_to_repeat(known)
            self._seen = now
            return
        if known.mark:
            self._recover(known, now)
        # At last: a worker that dies before has not repeated all, and leaves it to the next.
        known.servers, known.mark = now.servers, uuid.uuid4().hex
        leave_mark(get_client(), known.mark)
        known.save()
        self._seen = Memory(known.servers, known.mark)

    def _recover(self, known: RedisMemory, now: Memory) -> None:
        known.lost_at = timezone.now()
        if now.has_one_log:
            # Not only what is old enough for the usual sweep: the newest is the most likely lost.
            repeated = outbox.sweep(older_than=timedelta(0))
        else:
            since = datetime.fromtimestamp(now.whole_until, UTC) - LEEWAY
            repeated = outbox.repeat(since=since)
            self._plan_to_repeat(known)
        logger.warning("Redis is not the one it was: %d recent tasks are repeated", repeated)

    def _plan_to_repeat(self, known: RedisMemory) -> None:
        """What would have been due while no worker ran is due now."""
        now = timezone.now()
        if known.lost_at and known.lost_at + max(AGAIN_AFTER) > now:
            moments = [known.lost_at + pause for pause in AGAIN_AFTER]
            self._again = {(max(it, now), known.lost_at - LEEWAY) for it in moments}

    def _repeat_again(self) -> None:
        for due, since in sorted(self._again):
            if due <= timezone.now():
                self._again.remove((due, since))
                outbox.repeat(since=since)
