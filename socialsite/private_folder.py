"""The data folder, which only its owner can read, and the secret key that a site keeps in it."""

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.core.management.utils import get_random_secret_key

# Everything in it is private, except files that every visitor gets; of pictures there are many.
PUBLIC = frozenset({"static", "media"})


def make_private(path: Path) -> None:
    """Make the folder, or close to others what an earlier version let them read."""
    with _made(path):
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


def kept_secret_key(data_dir: Path) -> str:
    """For a site that sets none: made once."""
    path = data_dir / "secret_key"
    with _made(data_dir):
        if not path.exists():
            _create_key(path)
        return path.read_text().strip()


@contextlib.contextmanager
def _made(path: Path) -> Iterator[None]:
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        yield
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


def _create_key(path: Path) -> None:
    """Write a draft, then link it into place: if two processes start at once, one key wins."""
    draft = path.with_name(f"secret_key.{os.getpid()}")
    draft.touch(mode=0o600)
    try:
        draft.write_text(get_random_secret_key())
        path.hardlink_to(draft)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
