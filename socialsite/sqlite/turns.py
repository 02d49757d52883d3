"""Whose turn it is to write, among all threads and processes of the machine.

SQLite has one write lock and no queue for it: writers poll with growing pauses, so an unlucky one
waits ten times as long as the others. A file lock wakes its waiters at once. Two of them make it
fair: only the holder of `next` waits for `turn`, so a writer that has just finished can't overtake
one that was there before.
"""

import fcntl
import threading
from pathlib import Path
from typing import BinaryIO


class Turns:
    """One for each database and process. The kernel frees the locks of a process that dies."""

    def __init__(self, database: Path) -> None:
        self._threads = threading.Lock()
        self._files = [database.with_name(f"{database.name}-{name}") for name in ("next", "turn")]
        self._turn: BinaryIO | None = None

    def take(self, *, patience: float) -> bool:
        """False if other threads of this process kept us waiting longer than `patience`.

        For other processes, one thread of ours waits as long as it takes.
        """
        if not self._threads.acquire(timeout=patience):
            return False
        try:
            next_, self._turn = (path.open("ab", buffering=0) for path in self._files)
            with next_:
                fcntl.flock(next_, fcntl.LOCK_EX)
                fcntl.flock(self._turn, fcntl.LOCK_EX)
        except BaseException:
            self.give_back()
            raise
        return True

    def give_back(self) -> None:
        turn, self._turn = self._turn, None
        if turn is not None:
            turn.close()
        self._threads.release()
