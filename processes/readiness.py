"""How a process that is to replace another reports that it can serve: a byte through a pipe.

Asking its port won't do: both share it, and the old one answers too.
"""

import contextlib
import os
from typing import Self

VARIABLE = "SOCIALSITE_READY_FILE"


class Reports:
    """What the processes of one successor report; `report` is their end of it."""

    def __init__(self, expected: int) -> None:
        self.expected = expected
        self._read, self._write = os.pipe()
        os.set_blocking(self._read, False)
        self.files = (self._write,)
        self.environment = {VARIABLE: str(self._write)}

    def are_all_here(self) -> bool:
        with contextlib.suppress(BlockingIOError):
            self.expected -= len(os.read(self._read, 4096))
        return self.expected <= 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        os.close(self._read)
        os.close(self._write)


def report() -> None:
    """Does nothing in a process that replaces none."""
    file = os.environ.get(VARIABLE)
    if file is not None:
        # Nobody reads any more what a process reports that gunicorn starts later.
        with contextlib.suppress(OSError):
            os.write(int(file), b".")
