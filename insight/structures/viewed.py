"""The posts and tags that are read most these hours, counted with decay (`redistools/board.py`).

Nobody's reading is written down: a process remembers for an hour, as digests and in its own memory
alone, who has counted for what, so that loading a page again and again counts once. Only what
everybody may see is ever on the board.
"""

import threading
import time
from collections import Counter
from collections.abc import Collection, Mapping

from redistools import board, keys
from redistools.ids import EPOCH_MS
from redistools.scripts import Batch
from statuses.selectors import show
from statuses.visibility.rules import NO_RULES
from users.audience import Visibility

POSTS, TAGS = "posts", "tags"
SIZE = 500
HALF_LIFE_MS = 3600 * 1000.0
# After a day nothing is left of a count but a 16-millionth.
KEPT_SECONDS = 24 * 3600
MEMORY_SECONDS = 3600.0
MOST_REMEMBERED = 50_000


class Memory:
    """Who has counted for what, in this process and this hour. Full, it begins anew."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counted: set[int] = set()
        self._until = 0.0

    def is_new(self, who: object, what: object) -> bool:
        digest = hash((who, what))  # with a key that Python makes for each process
        with self._lock:
            now = time.monotonic()
            if now > self._until or len(self._counted) >= MOST_REMEMBERED:
                self._counted.clear()
                self._until = now + MEMORY_SECONDS
            if digest in self._counted:
                return False
            self._counted.add(digest)
            return True


def add(batch: Batch, *, posts: Counter[int], tags: Counter[str]) -> None:
    """Atomic for each board. A round trip or two before, to see which posts everybody may see."""
    if posts:
        public = {str(it): posts[it] for it in seen_by_everybody(posts)}
        _add(batch, POSTS, public)
    if tags:
        _add(batch, TAGS, tags)


def _add(batch: Batch, what: str, times: Mapping[str, int]) -> None:
    moment = time.time() * 1000 - EPOCH_MS
    scores = {
        item: board.score_of(count, moment, half_life_ms=HALF_LIFE_MS)
        for item, count in times.items()
    }
    if scores:
        board.add_scores(batch, keys.viewed(what), scores, size=SIZE, kept_seconds=KEPT_SECONDS)


def seen_by_everybody(status_ids: Collection[int]) -> set[int]:
    shown, _ = show(list(status_ids), viewer=None, rules=NO_RULES)
    return {it.status.id for it in shown if it.status.visibility == Visibility.PUBLIC}


def top(what: str, *, limit: int) -> list[str]:
    return [it.item for it in board.top(keys.viewed(what), limit=limit)]
