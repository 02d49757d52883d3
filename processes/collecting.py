"""Static files are collected when they have changed: that is a half of what a start costs."""

import fcntl
import hashlib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import IO

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command

from web import static_files

# What makes the collected files of those that we find.
MAKERS = ("django", "whitenoise", "rjsmin")
MANIFEST = "staticfiles.json"


def collect() -> None:
    """The roles of one host share the folder: one collects, the others wait."""
    with (settings.DATA_DIR / "collecting").open("a+") as mark:
        fcntl.flock(mark, fcntl.LOCK_EX)
        now = fingerprint()
        if now == _read(mark) and (settings.STATIC_ROOT / MANIFEST).exists():
            return
        mark.truncate(0)
        call_command("collectstatic", interactive=False, verbosity=0)
        mark.write(now)


def _read(mark: IO[str]) -> str:
    mark.seek(0)
    return mark.read()


def fingerprint() -> str:
    """Of the contents: files that an installer writes may have any time."""
    hashed = hashlib.sha256(" ".join(map(version, MAKERS)).encode())
    hashed.update(Path(static_files.__file__).read_bytes())
    for path, content in sorted(_sources()):
        hashed.update(f"\n{path} {len(content)} ".encode())
        hashed.update(content)
    return hashed.hexdigest()


def _sources() -> Iterator[tuple[str, bytes]]:
    for finder in get_finders():
        for path, storage in finder.list([]):
            with storage.open(path) as file:
                yield path, file.read()
