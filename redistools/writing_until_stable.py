"""Making a copy say what the record says, without locking the record.

Two processes may write the same copy at once, and the slower one may have read the older record. So
each looks again after it has written, and repeats its work if the record has changed. The last to
write has found the record unchanged after that, and every later change writes again.

A process may die before it looks again: use it only where something repeats what was not finished,
as the outbox does.
"""

from collections.abc import Callable
from typing import TypeVar

R = TypeVar("R")

ATTEMPTS = 20


class NeverStable(Exception):  # noqa: N818 - reads as what happened
    """The record changed each time the copy was written."""


def write_until_stable(
    read: Callable[[], R], write: Callable[[R], object], *, known: R | None = None
) -> R:
    """Writes what was read, or is `known`, until it is still so afterwards; returns it. Mostly two
    reads, or one.
    """
    seen = read() if known is None else known
    for _ in range(ATTEMPTS):
        write(seen)
        now = read()
        if now == seen:
            return seen
        seen = now
    raise NeverStable(f"the record changed {ATTEMPTS} times while its copy was written")
