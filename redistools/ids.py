"""Time-ordered ids of 53 bits: 41 of milliseconds since 2024, 12 of sequence.

They fit a JavaScript number and a Redis score exactly. One atomic script makes them, and none
twice: beyond 4,096 in a millisecond, or when the clock steps back, they run ahead of the clock;
when Redis has lost its memory, SQL says where to continue.
"""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from . import keys
from .client import Client
from .scripts import Script

EPOCH = datetime(2024, 1, 1, tzinfo=UTC)
EPOCH_MS = int(EPOCH.timestamp()) * 1000
SEQUENCE_BITS = 12
# In the year 2093.
LAST_MOMENT = EPOCH + timedelta(milliseconds=2**41 - 1)

_next = Script(__file__, "ids_next")


def time_of(id_: int) -> datetime:
    return EPOCH + timedelta(milliseconds=id_ >> SEQUENCE_BITS)


def first_id_at(moment: datetime) -> int:
    """The lowest id of the moment's millisecond: a cursor for a date."""
    return max(0, (moment - EPOCH) // timedelta(milliseconds=1)) << SEQUENCE_BITS


class IdSequence:
    """The ids of one table. `floor` returns the highest id in SQL, 0 when there is none.

    Keep one object for the life of the process: it remembers the highest id it gave out, so a Redis
    that came back with an older memory can't make this process's ids go back. If the clock stepped
    back too, it may repeat another process's id from the lost seconds. The insert fails then, and
    the caller takes `next(client, ask_sql=True)`.
    """

    def __init__(self, name: str, *, floor: Callable[[], int]) -> None:
        self._name = name
        self._floor = floor
        self._highest = 0
        self._lock = threading.Lock()

    def next(self, client: Client, *, ask_sql: bool = False, now_ms: int | None = None) -> int:
        """A new id. Atomic, O(1), one round trip.

        Asks SQL for its floor once per process, when Redis has lost the sequence, and with
        `ask_sql`. The lock makes ids rise across all threads of the process.
        """
        with self._lock:
            made = 0
            if self._highest and not ask_sql:
                made = self._make(client, now_ms, sql_was_asked=False)
            if not made:
                self._highest = max(self._highest, self._floor())
                made = self._make(client, now_ms, sql_was_asked=True)
            self._highest = made
            return made

    def _make(self, client: Client, now_ms: int | None, *, sql_was_asked: bool) -> int:
        """0 if the script refuses: the sequence is lost, and only SQL knows where it was."""
        clock = "" if now_ms is None else now_ms
        arguments = (self._highest, int(sql_was_asked), EPOCH_MS, clock)
        return int(_next(client, [keys.id_sequence(self._name)], arguments) or 0)
