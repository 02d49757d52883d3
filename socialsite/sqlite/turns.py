"""Whose turn it is to write, among all threads and processes of the machine.

SQLite has one write lock and no queue: writers poll with growing pauses, and an unlucky one waits
ten times as long. A file lock wakes its waiters at once. Two of them make it fair: only the holder
of `next` waits for `turn`, so a writer that has just finished can't overtake another.
"""

import fcntl
import os
import threading
from pathlib import Path
from typing import NamedTuple


class _Files(NamedTuple):
    next: int
    turn: int
    process: int


class Turns:
    """One for each database and process. The kernel frees the locks of a process that dies."""

    def __init__(self, database: Path) -> None:
        self._threads = threading.Lock()
        self._database = database
        self._files: _Files | None = None

    def take(self, *, patience: float) -> bool:
        """False if other threads of this process kept us waiting longer than `patience`.

        For other processes, one thread of ours waits as long as it takes.
        """
        if not self._threads.acquire(timeout=patience):
            return False
        try:
            files = self._files = self._opened()
            fcntl.flock(files.next, fcntl.LOCK_EX)
            fcntl.flock(files.turn, fcntl.LOCK_EX)
            fcntl.flock(files.next, fcntl.LOCK_UN)
        except BaseException:
            self.give_back()
            raise
        return True

    def give_back(self) -> None:
        if self._files:
            for file in (self._files.next, self._files.turn):
                fcntl.flock(file, fcntl.LOCK_UN)
        self._threads.release()

    def _opened(self) -> _Files:
        """A forked process opens them itself, or it would share its parent's locks."""
        if self._files and self._files.process == os.getpid():
            return self._files
        return _Files(self._open("next"), self._open("turn"), os.getpid())

    def _open(self, name: str) -> int:
        path = self._database.with_name(f"{self._database.name}-{name}")
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
