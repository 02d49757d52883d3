"""The data folder is readable by its owner only."""

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

# Everything in it is private, except files that every visitor gets; of pictures there are many.
PUBLIC = frozenset({"static", "media"})


def make_private(path: Path) -> None:
    """Make the folder, or close to others what an earlier version let them read."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.stat().st_mode & stat.S_ISVTX:
            raise ImproperlyConfigured(
                f"The data folder {path} is shared by all users: "
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
        folders[:] = [name for name in folders if name not in PUBLIC]
        yield from (Path(folder, name) for name in (*folders, *files))


def _close_to_others(path: Path) -> None:
    """Only our own files: others' files are theirs to protect."""
    status = path.lstat()
    if status.st_mode & 0o077 and status.st_uid == os.geteuid() and not path.is_symlink():
        path.chmod(stat.S_IMODE(status.st_mode) & 0o700)
