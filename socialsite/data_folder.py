"""The data folder: for its owner's eyes only, and used by one process at a time.

That is `serve`, or a command while the site is down.
"""

import contextlib
import fcntl
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

# Everything in it is private, but for files that every visitor gets.
PUBLIC = "static"


class DataFolderError(Exception):
    """The data folder can't be used; the message says what to do."""


def make_private(path: Path) -> None:
    """Make the folder, or take from others what an earlier version let them read."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.stat().st_mode & stat.S_ISVTX:
            raise ImproperlyConfigured(
                f"The data folder {path} is one that all users share: "
                "set SOCIALSITE_DATA_DIR to a folder of its own"
            )
        _close_to_others(path)
        for inner in _private_part(path):
            # Files come and go while a site runs.
            with contextlib.suppress(FileNotFoundError):
                _close_to_others(inner)
    except OSError as error:
        raise ImproperlyConfigured(
            f"The data folder {path} can't be used ({error.strerror}): "
            "give the user write permission or set SOCIALSITE_DATA_DIR to another folder"
        ) from error


def _private_part(path: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(path):
        if PUBLIC in folders:
            folders.remove(PUBLIC)
        yield from (Path(folder, name) for name in (*folders, *files))


def _close_to_others(path: Path) -> None:
    """Only what is ours: what belongs to somebody else is theirs to judge."""
    status = path.lstat()
    if status.st_mode & 0o077 and status.st_uid == os.geteuid() and not path.is_symlink():
        path.chmod(stat.S_IMODE(status.st_mode) & 0o700)


@contextlib.contextmanager
def held_data_folder(path: Path) -> Iterator[None]:
    """Hold the folder's lock, which the kernel lets go when the process ends, however it ends."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
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
