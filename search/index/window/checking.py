"""The window in the register of serving copies: what it lacks, all of it again, and what is left of
segments that nobody knows.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial

from django.conf import settings

from redistools import keys
from redistools.serving_copy import Difference, Row, Store

from ..engine import engine
from ..wanted import Bounds
from . import filling, segments
from .filling import POSTS_AT_ONCE, put_again
from .server import is_on

# Steps that fill it: enough for a hundred million posts.
MOST_STEPS = 10**6


class Window(Store):
    """What it has too much is no difference: it is compared with SQL whenever it is found."""

    def differences(self, rows: Sequence[Row]) -> Iterator[Difference]:  # noqa: ARG002 - the site
        for number, state in filling.whole_segments() if is_on() else ():
            for some in _entries(state.bounds):
                for lacking in put_again(number, "check", some):
                    yield from (self._lacks(number, status_id) for status_id in lacking)

    def _lacks(self, number: int, status_id: int) -> Difference:
        what = f"{self.label} lacks status {status_id}, or a term of it"
        return Difference(what, partial(_repair, number, status_id))

    def forget(self, rows: Iterable[Row]) -> None:  # noqa: ARG002 - the site
        filling.forget()

    def strays(self, found: Collection[str]) -> Iterator[Difference]:
        numbers = segments.listed()
        # The next one may be about to begin.
        numbers.add(max(numbers, default=0) + 1)
        for name in sorted(found):
            if not _belongs(name, numbers):
                yield Difference(f"{name} belongs to nothing", partial(self.remove, name))


def keep_all() -> None:
    """As far as it can be done now."""
    for _ in range(MOST_STEPS):
        if not filling.keep():
            return


def _entries(bounds: Bounds) -> Iterator[list[tuple[int, list[str]]]]:
    while rows := engine().entries(bounds, POSTS_AT_ONCE):
        yield rows
        bounds = bounds._replace(above=rows[-1][0])


def _repair(number: int, status_id: int) -> None:
    put_again(number, "put", engine().entries(Bounds(status_id - 1, status_id + 1), 1))


def _belongs(name: str, numbers: Collection[int]) -> bool:
    """`search:{fx}:<segment>:…`, `search:{fx}:blocks:…`, or the list."""
    if name == keys.search_segments():
        return True
    _, _, rest = name.partition("}:")
    segment, _, _ = rest.partition(":")
    if segment == "blocks":
        return any(name.startswith(keys.search_blocks(it)) for it in range(settings.PARTITIONS))
    return segment.isdigit() and int(segment) in numbers and _is_in_place(name, int(segment))


def _is_in_place(name: str, number: int) -> bool:
    return name.startswith(keys.search_segment(number).removesuffix("state"))
