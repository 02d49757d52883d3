"""The data folder has one owner at a time: `serve`, or a command while the site is down."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path


class DataFolderError(Exception):
    """The data folder can't be used; the message says what to do."""


@contextlib.contextmanager
def held_data_folder(path: Path) -> Iterator[None]:
    """Hold the folder's lock, which the kernel lets go when the process ends, however it ends."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        lock = (path / "lock").open("a+")
    except OSError as error:
        raise DataFolderError(
            f"The data folder {path} can't be written ({error.strerror}): "
            "give the user write permission or set SOCIALSITE_DATA_DIR to another folder"
        ) from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            owner = lock.read().strip() or "unknown"
            raise DataFolderError(
                f"Another process (id {owner}) already uses the data folder {path}: "
                "stop it, or set SOCIALSITE_DATA_DIR to another folder"
            ) from None
        lock.seek(0)
        lock.truncate()
        lock.write(str(os.getpid()))
        lock.flush()
        yield
