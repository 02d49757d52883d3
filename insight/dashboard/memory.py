"""Redis: how much memory each kind of key takes, as workers sampled it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from redistools.client import get_client
from redistools.sample import Used, used

from ..figures import MEMORY_KINDS
from .reading import Readings, newest

WORDS: Mapping[str, str | Promise] = {
    "timelines": _("Timelines and notifications"),
    "posts": _("Posts"),
    "messages": _("Messages"),
    "people": _("People and follows"),
    "search": _("Search"),
    "sessions": _("Sessions and limits"),
    "pages": _("Kept pages"),
    "queue": _("Queue"),
    "streams": _("Streams"),
    "figures": _("Figures"),
    "other": _("Everything else"),
}
PATTERNS = ("b1", "b2", "b3", "b4")


class Meter(NamedTuple):
    words: str | Promise
    size: int
    before: int | None  # at the end of the period before
    percent: int
    width: str  # of the largest
    pattern: str


@dataclass(frozen=True)
class Memory:
    used: Used
    meters: list[Meter]


def memory(readings: Readings) -> Memory:
    """One round trip."""
    return Memory(used(get_client()), meters(readings))


def meters(readings: Readings) -> list[Meter]:
    """The largest first; none if nothing was sampled."""
    pairs = {kind: readings.of("redis_memory", kind) for kind in MEMORY_KINDS}
    sizes = {kind: newest([*pair.before, *pair.now]) for kind, pair in pairs.items()}
    known = {kind: int(size) for kind, size in sizes.items() if size}
    largest, together = max(known.values(), default=0), sum(known.values())
    by_size = sorted(known.items(), key=lambda it: -it[1])
    return [
        Meter(
            *(WORDS[kind], size, _whole(newest(pairs[kind].before))),
            *(round(100 * size / together), f"{100 * size / largest:.1f}%"),
            PATTERNS[at % len(PATTERNS)],
        )
        for at, (kind, size) in enumerate(by_size)
    ]


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)
