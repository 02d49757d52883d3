import time
from dataclasses import dataclass

from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch, Script

from .store import Queue

oldest_script = Script(__file__, "oldest")

SIZES = ("ready", "delayed", "leases", "failed")


@dataclass(frozen=True)
class QueueStats:
    queue: str
    ready: int
    delayed: int
    running: int
    failed: int
    oldest_seconds: float | None  # for how long the task that waits longest has been ready
    per_minute: float  # how many tasks ended in the last sixty seconds, about


def queue_stats(name: str) -> QueueStats:
    """One round trip, O(log n). The figures are not of the very same instant."""
    queue, batch = Queue(name), Batch(get_client())
    for part in SIZES:
        batch.add("ZCARD", keys.queue(name, part))
    batch.call(oldest_script, queue.keys, [queue.now])
    batch.add("HGETALL", keys.queue(name, "rate"))
    ready, delayed, running, failed, oldest, counts = batch.run()
    oldest_seconds = None if oldest < 0 else oldest / 1000
    per_minute = rate(counts, time.time())
    return QueueStats(name, ready, delayed, running, failed, oldest_seconds, per_minute)


def rate(counts: dict[str, str], now: float) -> float:
    """This minute's count, and the share of the last one's that is not yet sixty seconds old."""
    minute, seconds = divmod(now, 60)
    this, last = (int(counts.get(str(int(minute) - back), 0)) for back in (0, 1))
    return round(this + last * (1 - seconds / 60), 1)
