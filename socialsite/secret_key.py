"""The secret key of a site that sets none: made once and kept, readable by its owner only."""

import os
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.core.management.utils import get_random_secret_key


def kept_secret_key(data_dir: Path) -> str:
    path = data_dir / "secret_key"
    try:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            _create(path)
        return path.read_text().strip()
    except OSError as error:
        raise ImproperlyConfigured(
            f"The data folder {data_dir} can't be used ({error.strerror}): "
            "give the user write permission or set SOCIALSITE_DATA_DIR to another folder"
        ) from error


def _create(path: Path) -> None:
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
