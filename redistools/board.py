"""Boards: what is in fashion, counted with decay (`lua/board.lua`). Their cost does not grow with
the site: a board has a fixed size.
"""

from collections.abc import Mapping, Sequence
from math import log2
from typing import Any, NamedTuple

from .client import get_client
from .scripts import Batch, Script

_count_on_board = Script(__file__, "count_on_board")


class Ranked(NamedTuple):
    item: str
    score: float


def score_of(weight: float, moment_ms: float, *, half_life_ms: float) -> float:
    """Of one count. All moments of a board count from the same epoch."""
    return moment_ms / half_life_ms + log2(weight)


def add_scores(
    batch: Batch, key: str, scores: Mapping[str, float], *, size: int, kept_seconds: int
) -> None:
    """Atomic, O(log size) for each."""
    flat = [it for pair in scores.items() for it in pair]
    batch.call(_count_on_board, [key], [size, kept_seconds, *flat])


def top(key: str, *, limit: int) -> Sequence[Ranked]:
    """Highest first. One round trip."""
    found: Any = get_client().zrevrange(key, 0, limit - 1, withscores=True)
    return [Ranked(item, score) for item, score in found]
