"""When another version of the code began to run: a mark in every plot."""

import hashlib
import time
from collections.abc import Iterator
from datetime import timedelta
from functools import cache
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from ..models import Deploy

CODE = ("*.py", "*.lua", "*.html", "*.svg", "*.css", "*.js")
DIGITS = 10
LONGEST = 64
# While one host after another is updated, the version before starts processes too.
ROLLING = timedelta(minutes=30)
TRY_AGAIN_SECONDS = 5.0


@cache
def running_version() -> str:
    """What the operator calls it, or a digest of the code. O(files): some 60 ms."""
    return (settings.SITE_VERSION or _digest_of_code())[:LONGEST]


def note(version: str) -> bool:
    """False: it is known. One query, as a rule."""
    newest, previous = [*Deploy.objects.order_by("-number")[:2], None, None][:2]
    if newest is not None and newest.version == version:
        return False
    if previous is not None and previous.version == version and _is_rolling(newest):
        return False
    number = newest.number + 1 if newest else 1
    _, is_new = Deploy.objects.get_or_create(number=number, defaults={"version": version})
    return is_new


def _is_rolling(deploy: Deploy | None) -> bool:
    return deploy is not None and deploy.at > timezone.now() - ROLLING


class Noting:
    """Called once a second by a process that measures; done once SQL has answered."""

    def __init__(self) -> None:
        self._due: float | None = 0.0

    def __call__(self) -> None:
        if self._due is None or time.monotonic() < self._due:
            return
        self._due = time.monotonic() + TRY_AGAIN_SECONDS
        note(running_version())
        self._due = None


def _digest_of_code() -> str:
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(_files()):
        digest.update(str(path.relative_to(settings.BASE_DIR)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:DIGITS]


def _files() -> Iterator[Path]:
    """Of our apps, and what they show."""
    names = {it.partition(".")[0] for it in settings.INSTALLED_APPS}
    names |= {"redistools", "templates", "static"}
    for folder in (settings.BASE_DIR / name for name in names):
        for pattern in CODE:
            yield from folder.rglob(pattern)
