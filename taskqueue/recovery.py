"""When Redis is not the one it was, the recent past is repeated from SQL.

Every write has its row in the outbox, which stays for a few minutes after its work is done. All
tasks may run twice; so all of them run again that began shortly before Redis was last seen whole.
What was done since we noticed is repeated some more times: with several hosts, somebody may have
written to a server that was no longer the master until a moment ago. A worker that begins meanwhile
does so too: it may have come in the place of the one that noticed.
"""

import logging
import uuid
from contextlib import suppress
from datetime import datetime, timedelta

from django.utils import timezone

from redistools.client import get_client
from redistools.lock import LockNotAcquired, lock
from redistools.memory import Memory, leave_mark, look

from . import outbox
from .models import RedisMemory

LOOK_SECONDS = 1.0
# How often SQL is told that all is well.
NOTE_EVERY = timedelta(seconds=10)
# A replica or an append-only file may lag behind, but not for longer.
LONGEST_LOSS = timedelta(seconds=60)
AGAIN_AFTER = (timedelta(seconds=15), timedelta(seconds=45))
# How far the clocks of hosts may be apart.
LEEWAY = timedelta(seconds=5)
LOCK_SECONDS = 30.0

logger = logging.getLogger("taskqueue.worker")


class Watch:
    """One for each worker; the first to notice a loss repeats the past for all."""

    def __init__(self) -> None:
        self._seen: Memory | None = None
        self._noted_at = datetime.min.replace(tzinfo=timezone.now().tzinfo)
        self._again: set[tuple[datetime, datetime]] = set()
        """When to repeat, and what was done since when."""

    def look(self) -> float:
        """Two round trips; returns the seconds until it wants to look again."""
        now = look(get_client())
        if now != self._seen or not now.mark:
            with (
                suppress(LockNotAcquired),
                lock(get_client(), "recovery", timeout=LOCK_SECONDS, wait=1.0),
            ):
                self._recognise(look(get_client()))
        elif timezone.now() - self._noted_at > NOTE_EVERY:
            self._note()
        self._repeat_again()
        return LOOK_SECONDS

    def _note(self) -> None:
        self._noted_at = timezone.now()
        RedisMemory.objects.filter(pk=1).update(seen_at=self._noted_at)

    def _recognise(self, now: Memory) -> None:
        """By what SQL knows: this worker may be new, or another may have repeated the past."""
        known, _ = RedisMemory.objects.get_or_create(pk=1)
        if known.mark and now == Memory(known.servers, known.mark):
            if self._seen is None:
                self._plan_to_repeat(known)
            self._seen = now
            return
        if known.mark:
            self._repeat(known)
        # At last: a worker that dies before has not repeated all, and leaves it to the next.
        known.servers, known.mark = now.servers, uuid.uuid4().hex
        known.seen_at = self._noted_at = timezone.now()
        leave_mark(get_client(), known.mark)
        known.save()
        self._seen = Memory(known.servers, known.mark)

    def _repeat(self, known: RedisMemory) -> None:
        known.lost_at = timezone.now()
        repeated = outbox.repeat(since=known.seen_at - LONGEST_LOSS)
        logger.warning("Redis is not the one it was: %d recent tasks are repeated", repeated)
        self._plan_to_repeat(known)

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
