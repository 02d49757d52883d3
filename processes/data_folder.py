"""One process at a time uses the data folder: `serve`, or a command while the site is down."""

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from .supervisor import say

# Longer than any of them takes to stop.
PREDECESSORS_SECONDS = 40.0


class DataFolderError(Exception):
    """The data folder can't be used; the message says what to do."""


@contextlib.contextmanager
def held_data_folder(path: Path, part: str = "") -> Iterator[int]:
    """Holds the folder's locks, which the kernel releases when a process ends, even by a crash.

    If the stores are elsewhere, one process for each part may use it. Yields the file to hand to
    child processes: while one of them lives, the folder is in use.
    """
    suffix = f"_{part}" if part else ""
    with contextlib.ExitStack() as stack:
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            _lock(stack.enter_context((path / f"lock{suffix}").open("a+")), path, part)
            in_use = stack.enter_context((path / f"in_use{suffix}").open("a"))
        except OSError as error:
            raise DataFolderError(
                f"The data folder {path} can't be written ({error.strerror}): make room on its "
                "disk, give the user write permission or set SOCIALSITE_DATA_DIR to another folder"
            ) from error
        _wait_for_predecessors(in_use, path)
        yield in_use.fileno()


def _lock(lock: IO[str], path: Path, part: str) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.seek(0)
        owner = lock.read().strip() or "unknown"
        raise DataFolderError(
            f"Another process (id {owner}) already uses the data folder {path}"
            f"{f' as {part}' if part else ''}: "
            "stop it, or set SOCIALSITE_DATA_DIR to another folder"
        ) from None
    # Past Python's buffer: on a full disk it would try again when the file is closed.
    os.ftruncate(lock.fileno(), 0)
    os.write(lock.fileno(), str(os.getpid()).encode())


def _wait_for_predecessors(in_use: IO[str], path: Path) -> None:
    """After `serve` was killed, its children still finish what they are doing."""
    deadline = time.monotonic() + PREDECESSORS_SECONDS
    said = False
    while not _is_free(in_use):
        if not said:
            said = True
            say("serve", "waiting for the processes of an earlier run to end …")
        if time.monotonic() > deadline:
            raise DataFolderError(
                f"Processes of an earlier run still use the data folder {path}: stop them"
            )
        time.sleep(0.05)


def _is_free(in_use: IO[str]) -> bool:
    try:
        fcntl.flock(in_use, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
