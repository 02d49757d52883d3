"""Which of our files a piece of work really runs through.

    with walking() as walk:
        client.get("/")
    assert len(walk.files) <= 18, walk

The ground that every walk stands on is left out: settings, the task queue, the tools for Redis.

docs/architecture.md prints two walks. `REFRESH_WALKS=1 pytest tests/streaming/test_rooms.py
tests/timelines/test_walks.py` refreshes them.
"""

import inspect
import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import CodeType, FrameType

from django.conf import settings

GROUND = ("socialsite", "redistools", "taskqueue", "configuration", "tests")
MAP: Path = settings.BASE_DIR / "docs" / "architecture.md"


class Walk:
    """The functions that ran, in the order in which they were first called.

    With `through`, the name of an app: those of the app, what they called, and what led to them.
    """

    def __init__(self, through: str, ground: tuple[str, ...]) -> None:
        self._through, self._ground = through, ground
        self._codes: dict[CodeType, None] = {}
        self.has_ended = False

    def enter(self, frame: FrameType, event: str, _argument: object) -> None:
        if event != "call" or self.has_ended:
            return
        stack = list(_stack(frame))
        if any(_file_of(code).startswith(self._through) for code in stack):
            self._codes.update(dict.fromkeys(reversed(stack)))

    @property
    def files(self) -> list[str]:
        """Relative to the project."""
        files = dict.fromkeys(map(_file_of, self._codes))
        return [file for file in files if file and not file.startswith(self._ground)]

    def __str__(self) -> str:
        lines = (f"{n:3}. {it}" for n, it in enumerate(self.files, 1))
        return "\n".join(["files on the way:", *lines])


def _stack(frame: FrameType | None) -> Iterator[CodeType]:
    """From this function up to the first one."""
    while frame is not None:
        yield frame.f_code
        frame = frame.f_back


@cache
def _file_of(code: CodeType) -> str:
    """Empty for what is not ours, and for the bodies of modules and classes, which only define."""
    path, root = Path(code.co_filename), Path(settings.BASE_DIR)
    is_ours = path.is_relative_to(root) and "site-packages" not in path.parts
    runs = code.co_flags & inspect.CO_OPTIMIZED
    return str(path.relative_to(root)) if is_ours and runs else ""


@contextmanager
def walking(through: str = "", ground: tuple[str, ...] = GROUND) -> Iterator[Walk]:
    """Follows this thread, and those that are started meanwhile."""
    walk = Walk(through, ground)
    before = sys.getprofile()
    threading.setprofile(walk.enter)
    sys.setprofile(walk.enter)
    try:
        yield walk
    finally:
        walk.has_ended = True
        sys.setprofile(before)
        threading.setprofile(None)


def is_printed(name: str, files: list[str]) -> bool:
    """Does the map list these files under this name? Their order depends on the threads."""
    page = MAP.read_text()
    printed = re.compile(rf"(?<=<!-- walk: {name} -->\n).*?(?=<!-- end -->)", re.DOTALL)
    if "REFRESH_WALKS" in os.environ:
        lines = "".join(f"{n}. `{it}`\n" for n, it in enumerate(files, 1))
        page = printed.sub(lines, page, count=1)
        MAP.write_text(page)
    found = printed.search(page)
    return found is not None and set(re.findall("`(.+)`", found[0])) == set(files)
